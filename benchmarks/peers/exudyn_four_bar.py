"""The swinging N-loop four-bar linkage by Exudyn, against its exact motion.

    python exudyn_four_bar.py LOOPS SECONDS STEPS...

One line of JSON for each number of steps: processor seconds of the time integration alone, largest error of the first
crank's tip at the end (m), iterations. The linkage hangs, starts from rest at 60 degrees and swings as one pendulum,
x'' + w^2 sin x = 0 with w^2 = (3 N / 2 + 1/2) g / ((N + 1)/3 + N): no singular configuration is met.
"""

import json
import math
import sys
import time

import exudyn as exu
from exudyn.utilities import (
    Force,
    MarkerBodyPosition,
    NodeRigidBody2D,
    ObjectGround,
    ObjectRigidBody2D,
    RevoluteJoint2D,
)

G = 9.81
START = math.pi / 3


def exact(loops, t):
    """Angle of the cranks from hanging at time t: sin(x/2) = k sn(K - w t, k)."""
    w = math.sqrt(G * (1.5 * loops + 0.5) / ((loops + 1) / 3 + loops))
    k = math.sin(START / 2)
    a, b, c = 1.0, math.sqrt((1 - k) * (1 + k)), k
    levels = []
    while abs(c) > 1e-15 * a:
        a, b, c = (a + b) / 2, math.sqrt(a * b), (a - b) / 2
        levels.append((a, c))
    quarter = math.pi / (2 * a)
    phi = 2 ** len(levels) * a * (w * t + quarter)
    for a, c in reversed(levels):
        phi = (phi + math.asin(c / a * math.sin(phi))) / 2
    return 2 * math.asin(k * math.sin(phi))


def build(loops):
    """The model, its first crank's node and the local position of its tip."""
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    ground = mbs.AddObject(ObjectGround())
    angle = START - math.pi / 2
    tip = (math.cos(angle), math.sin(angle))

    def rod(x, y, phi):
        node = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[x, y, phi]))
        body = mbs.AddObject(ObjectRigidBody2D(physicsMass=1.0, physicsInertia=1 / 12, nodeNumber=node))
        centre = mbs.AddMarker(MarkerBodyPosition(bodyNumber=body))
        mbs.AddLoad(Force(markerNumber=centre, loadVector=[0, -G, 0]))
        ends = [mbs.AddMarker(MarkerBodyPosition(bodyNumber=body, localPosition=[s, 0, 0])) for s in (-0.5, 0.5)]
        return node, ends

    cranks = [rod(i + tip[0] / 2, tip[1] / 2, angle) for i in range(loops + 1)]
    couplers = [rod(i + tip[0] + 0.5, tip[1], 0.0) for i in range(loops)]
    for i, (_, ends) in enumerate(cranks):
        pin = mbs.AddMarker(MarkerBodyPosition(bodyNumber=ground, localPosition=[i, 0, 0]))
        mbs.AddObject(RevoluteJoint2D(markerNumbers=[pin, ends[0]]))
    for i, (_, ends) in enumerate(couplers):
        mbs.AddObject(RevoluteJoint2D(markerNumbers=[cranks[i][1][1], ends[0]]))
        mbs.AddObject(RevoluteJoint2D(markerNumbers=[cranks[i + 1][1][1], ends[1]]))
    mbs.Assemble()
    return container, mbs, cranks[0][0]


def main():
    loops, seconds = int(sys.argv[1]), float(sys.argv[2])
    x = exact(loops, seconds)
    for steps in map(int, sys.argv[3:]):
        container, mbs, node = build(loops)
        settings = exu.SimulationSettings()
        settings.timeIntegration.numberOfSteps = steps
        settings.timeIntegration.endTime = seconds
        settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
        settings.timeIntegration.newton.useModifiedNewton = True
        settings.linearSolverType = exu.LinearSolverType.EigenSparse
        settings.solutionSettings.writeSolutionToFile = False
        settings.timeIntegration.verboseMode = 0
        settings.displayStatistics = False
        settings.displayComputationTime = False
        settings.parallel.numberOfThreads = 1
        clock = time.process_time()
        mbs.SolveDynamic(settings)
        elapsed = time.process_time() - clock
        q = mbs.GetNodeOutput(node, exu.OutputVariableType.Coordinates)
        p = mbs.GetNodeOutput(node, exu.OutputVariableType.Position)
        phi = q[2] + START - math.pi / 2
        found = (p[0] + math.cos(phi) / 2, p[1] + math.sin(phi) / 2)
        error = math.hypot(found[0] - math.sin(x), found[1] + math.cos(x))
        print(json.dumps({"steps": steps, "cpu_s": elapsed, "error": error, "version": exu.config.Version()}))


if __name__ == "__main__":
    main()
