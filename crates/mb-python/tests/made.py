"""Models that several tests take."""

import mb


def spring():
    m = mb.Model("mass on springs", parameters={"k": 16.0})
    m.point("P", at=(0, 0), mass=1)
    m.spring("x", "P", (1, 0), stiffness="k", natural_length=1, damping=0.1)
    m.spring("y", "P", (0, 1), stiffness=25, natural_length=1)
    m.force("push", "P", direction=(1, 0), input="u")
    m.output("sway", "x", "P")
    return m


def rotor(cross=5):
    m = mb.Model("disc", parameters={"W": 1.0})
    m.spatial_body("disc", mass=1, inertia=[1, 1, 2], at=(0, 0, 0), markers={"a": [0, 0, -2], "b": [0, 0, 2]})
    for end in "ab":
        m.bearing(end, f"disc.{end}", "ground", stiffness=[[50, cross], [-cross, 50]])
    m.steady_rotation("spin", bodies=["disc"], speed="W")
    return m


def pushed():
    m = mb.Model("pushed", parameters={"W": 3.0})
    P = m.body("P", mass=1, inertia=1, at=(0, 0))
    m.prismatic("rail", P, (0, 0), axis=(1, 0))
    m.spring("s", P, (-5, 0), stiffness=4, natural_length=5, damping=0.4)
    m.force("push", P, direction=(1, 0), magnitude="cos(W*t)")
    return m
