//! A generated house: its floor plan, and the scene that shows it.

pub(crate) mod builder;
pub(crate) mod furnish;
pub(crate) mod furniture;
pub(crate) mod layout;
pub(crate) mod patterns;
pub(crate) mod pictures;
pub(crate) mod plan;
pub(crate) mod shell;
pub(crate) mod signs;
pub(crate) mod style;

use anyhow::Result;

use crate::{
    WalkOptions,
    scene::{Scene, light},
};
use furnish::Furnished;
use plan::Plan;

/// A furnished and lit house.
pub(crate) struct House {
    /// Its floor plan.
    pub(crate) plan: Plan,
    /// Its surfaces, with their light baked.
    pub(crate) scene: Scene,
    /// Contents of each room of the plan.
    pub(crate) furnished: Vec<Furnished>,
}

/// Builds the house of a seed, lit for the day or for the evening.
///
/// # Errors
/// Returns an error if the font of the signs is not installed.
pub(crate) fn build(options: &WalkOptions) -> Result<House> {
    let seed = options.seed;
    let lettering = signs::Lettering::load()?;
    let plan = Plan::draw(seed, options.room_count());
    let mut scene = Scene::default();
    scene.rooms.resize_with(plan.rooms.len(), Default::default);
    scene.add_object("nothing", 0);
    let styles = style::dress(&plan, &mut scene, options);
    shell::build(&plan, &styles, &mut scene, seed);
    let signs = signs::choose(&plan, seed);
    let furnished = furnish::furnish(&plan, &styles, &signs, &lettering, &mut scene, seed);
    if options.again {
        light::dim_for_evening(&mut scene);
    }
    let floors: Vec<_> = plan.rooms.iter().map(|room| room.floor).collect();
    light::bake(&mut scene, &floors, plan.rooms[0].height);
    scene.outline_objects();
    Ok(House { plan, scene, furnished })
}
