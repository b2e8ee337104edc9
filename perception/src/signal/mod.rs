//! Image statistics that need no model.

mod appearance;
mod colour;
mod descriptor;
mod doorway;
mod ego_motion;
mod features;
mod hash;
mod plane;
mod sharpness;
mod upright_edges;

pub use appearance::Appearance;
pub(crate) use colour::thousandths;
pub use colour::{Light, dominant_colours, light};
pub use descriptor::Descriptor;
pub use doorway::{Doorway, DoorwayTracker};
pub use ego_motion::{ColumnProfiles, EgoMotion};
pub use features::features;
pub use hash::{distance, perceptual_hash};
pub use plane::{Colours, Plane};
pub(crate) use plane::{nearest, rgb_of_video};
pub use registration::{Alignment, Feature, Features, align};
pub use sharpness::{Sharpness, sharpness};
pub use upright_edges::{UprightEdge, upright_edges};
