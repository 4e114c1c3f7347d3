//! The model files of this crate as text, for `mb generate` and for models that start from them.

/// `models/andrews-squeezer.toml`: andrews-squeezer.
pub const ANDREWS_SQUEEZER: &str = include_str!("../models/andrews-squeezer.toml");
/// `models/beam-cantilever.toml`: beam-cantilever.
pub const BEAM_CANTILEVER: &str = include_str!("../models/beam-cantilever.toml");
/// `models/beam-four-bar.toml`: beam-four-bar.
pub const BEAM_FOUR_BAR: &str = include_str!("../models/beam-four-bar.toml");
/// `models/beam-frame.toml`: beam-frame.
pub const BEAM_FRAME: &str = include_str!("../models/beam-frame.toml");
/// `models/bicycle.toml`: bicycle.
pub const BICYCLE: &str = include_str!("../models/bicycle.toml");
/// `models/bricard.toml`: bricard.
pub const BRICARD: &str = include_str!("../models/bricard.toml");
/// `models/cart-pendulum.toml`: cart with pendulum.
pub const CART_PENDULUM: &str = include_str!("../models/cart-pendulum.toml");
/// `models/double-pendulum-rigid.toml`: rigid double pendulum.
pub const DOUBLE_PENDULUM_RIGID: &str = include_str!("../models/double-pendulum-rigid.toml");
/// `models/erls-arm.toml`: two-link arm.
pub const ERLS_ARM: &str = include_str!("../models/erls-arm.toml");
/// `models/erls-four-bar.toml`: four-bar linkage of equivalent rigid links.
pub const ERLS_FOUR_BAR: &str = include_str!("../models/erls-four-bar.toml");
/// `models/flexible-double-pendulum.toml`: flexible double pendulum.
pub const FLEXIBLE_DOUBLE_PENDULUM: &str = include_str!("../models/flexible-double-pendulum.toml");
/// `models/floating-arm.toml`: two-link arm in floating frames.
pub const FLOATING_ARM: &str = include_str!("../models/floating-arm.toml");
/// `models/flexible-slider-crank.toml`: planar slider-crank with an elastic connecting rod.
pub const FLEXIBLE_SLIDER_CRANK: &str = include_str!("../models/flexible-slider-crank.toml");
/// `models/flyball-governor.toml`: flyball governor.
pub const FLYBALL_GOVERNOR: &str = include_str!("../models/flyball-governor.toml");
/// `models/four-bar-driven.toml`: driven four-bar linkage.
pub const FOUR_BAR_DRIVEN: &str = include_str!("../models/four-bar-driven.toml");
/// `models/free-body.toml`: free body.
pub const FREE_BODY: &str = include_str!("../models/free-body.toml");
/// `models/heavy-top.toml`: heavy top.
pub const HEAVY_TOP: &str = include_str!("../models/heavy-top.toml");
/// `models/mechanism-zero-mode.toml`: free-swinging four-bar linkage.
pub const MECHANISM_ZERO_MODE: &str = include_str!("../models/mechanism-zero-mode.toml");
/// `models/n-four-bar.toml`: N-loop four-bar linkage.
pub const N_FOUR_BAR: &str = include_str!("../models/n-four-bar.toml");
/// `models/n-four-bar-singular.toml`: four-bar linkage in its singular configuration.
pub const N_FOUR_BAR_SINGULAR: &str = include_str!("../models/n-four-bar-singular.toml");
/// `models/n-four-bar-turning.toml`: n-four-bar-turning.
pub const N_FOUR_BAR_TURNING: &str = include_str!("../models/n-four-bar-turning.toml");
/// `models/parallelogram.toml`: parallelogram with a third rod.
pub const PARALLELOGRAM: &str = include_str!("../models/parallelogram.toml");
/// `models/rod-pendulum.toml`: rod pendulum.
pub const ROD_PENDULUM: &str = include_str!("../models/rod-pendulum.toml");
/// `models/rod-pendulum-upright.toml`: upright rod pendulum.
pub const ROD_PENDULUM_UPRIGHT: &str = include_str!("../models/rod-pendulum-upright.toml");
/// `models/rolling-disc.toml`: disc that rolls.
pub const ROLLING_DISC: &str = include_str!("../models/rolling-disc.toml");
/// `models/simple-pendulum.toml`: simple-pendulum.
pub const SIMPLE_PENDULUM: &str = include_str!("../models/simple-pendulum.toml");
/// `models/skate.toml`: sled on a skate.
pub const SKATE: &str = include_str!("../models/skate.toml");
/// `models/slider-crank.toml`: slider-crank mechanism.
pub const SLIDER_CRANK: &str = include_str!("../models/slider-crank.toml");
/// `models/solid-cantilever.toml`: solid-cantilever.
pub const SOLID_CANTILEVER: &str = include_str!("../models/solid-cantilever.toml");
/// `models/spatial-chain.toml`: spatial-chain.
pub const SPATIAL_CHAIN: &str = include_str!("../models/spatial-chain.toml");
/// `models/spatial-four-bar.toml`: spatial-four-bar.
pub const SPATIAL_FOUR_BAR: &str = include_str!("../models/spatial-four-bar.toml");
/// `models/spatial-pendulum.toml`: spatial-pendulum.
pub const SPATIAL_PENDULUM: &str = include_str!("../models/spatial-pendulum.toml");
/// `models/spatial-slider-crank.toml`: spatial slider-crank.
pub const SPATIAL_SLIDER_CRANK: &str = include_str!("../models/spatial-slider-crank.toml");
/// `models/spring-arm.toml`: arm with masses on springs.
pub const SPRING_ARM: &str = include_str!("../models/spring-arm.toml");
/// `models/top.toml`: top.
pub const TOP: &str = include_str!("../models/top.toml");
/// `models/wheelset.toml`: wheelset.
pub const WHEELSET: &str = include_str!("../models/wheelset.toml");
