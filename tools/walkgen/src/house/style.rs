//! Chooses the materials and the light of each room.

use crate::{
    WalkOptions,
    house::builder::Material,
    house::patterns,
    house::plan::{Kind, Plan},
    random::Random,
    scene::Scene,
    scene::texture::{Colour, Texture},
};

/// Materials that all rooms share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Common {
    pub(crate) white: Material,
    pub(crate) ceiling: Material,
    pub(crate) black: Material,
    pub(crate) steel: Material,
    pub(crate) glass: Material,
    pub(crate) leaf: Material,
    pub(crate) clay: Material,
    pub(crate) carton: Material,
    pub(crate) linen: Material,
    pub(crate) lamp: Material,
    pub(crate) screen: Material,
    pub(crate) marble: Material,
}

/// Materials and light of one room.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub(crate) wall: Material,
    pub(crate) floor: Material,
    pub(crate) cloth: Material,
    pub(crate) second_cloth: Material,
    pub(crate) wood: Material,
    pub(crate) wood_colour: Colour,
    pub(crate) front_colour: Colour,
    pub(crate) common: Common,
    /// Power of the lamp: red, green and blue.
    pub(crate) lamp: [f32; 3],
    /// Strength of the ambient light.
    pub(crate) ambient: f32,
}

impl Common {
    fn make(scene: &mut Scene, random: &mut Random) -> Self {
        let mut plain = |colour: Colour| Material::of(scene.add_texture(Texture::plain(colour)));
        let (white, black, glass) = (plain([226, 225, 220]), plain([30, 31, 34]), plain([186, 202, 206]));
        let (steel, clay) = (plain([150, 153, 156]), plain([172, 96, 66]));
        let screen = Material::glowing(plain([22, 26, 34]).texture, 1.0);
        let lamp = Material::glowing(plain([255, 246, 222]).texture, 1.0);
        let mut add = |texture| Material::of(scene.add_texture(texture));
        Self {
            ceiling: add(patterns::plaster(random, [228, 227, 222])),
            leaf: add(patterns::stone(random, [70, 120, 58], 0.35)),
            carton: add(patterns::cloth(random, [176, 138, 96])),
            linen: add(patterns::cloth(random, [226, 224, 216])),
            marble: add(patterns::stone(random, [196, 194, 190], 0.35)),
            white,
            black,
            steel,
            glass,
            clay,
            lamp,
            screen,
        }
    }
}

const WALL_COLOURS: &[Colour] =
    &[[222, 214, 196], [196, 210, 214], [206, 214, 190], [226, 206, 176], [214, 196, 196], [200, 200, 206]];
/// Walls of a house with [`WalkOptions::pale`].
const PALE: Colour = [232, 230, 224];
const CLOTHS: &[Colour] = &[
    [92, 112, 140],
    [150, 84, 72],
    [96, 124, 92],
    [168, 140, 92],
    [112, 92, 122],
    [84, 88, 94],
    [178, 108, 70],
];
const WOODS: &[Colour] = &[[176, 132, 88], [122, 82, 52], [200, 164, 116], [92, 66, 48]];

/// Chooses the style of each room. Rooms that resemble each other on purpose share one.
pub(crate) fn dress(plan: &Plan, scene: &mut Scene, options: &WalkOptions) -> Vec<Style> {
    let mut random = Random::new(options.seed, 2);
    let common = Common::make(scene, &mut random);
    let mut walls: Vec<usize> = (0..6).collect();
    let mut colours = WALL_COLOURS.to_vec();
    let mut cloths = CLOTHS.to_vec();
    random.shuffle(&mut walls);
    random.shuffle(&mut colours);
    random.shuffle(&mut cloths);
    let mut styles: Vec<Style> = Vec::new();
    for (index, room) in plan.rooms.iter().enumerate() {
        if let Some(twin) = room.alike {
            styles.push(styles[twin]);
            continue;
        }
        let colour = colours[index % colours.len()];
        let cloth = cloths[index % cloths.len()];
        let wood_colour = *random.pick(WOODS);
        let drawn = wall_texture(room.kind, walls[index % walls.len()], colour, &mut random);
        let wall = if options.pale { patterns::plaster(&mut random.clone(), PALE) } else { drawn };
        let floor = floor_texture(room.kind, &mut random);
        let warm = random.range(0.86, 1.0);
        let textures = [
            patterns::cloth(&mut random, cloth),
            patterns::cloth(&mut random, cloths[(index + 3) % cloths.len()]),
            patterns::wood(&mut random, wood_colour),
        ];
        let [cloth, second_cloth, wood] = textures.map(|texture| Material::of(scene.add_texture(texture)));
        styles.push(Style {
            wall: Material::of(scene.add_texture(wall)),
            floor: Material::of(scene.add_texture(floor)),
            cloth,
            second_cloth,
            wood,
            wood_colour,
            front_colour: *random.pick(&[[214, 216, 210], [120, 140, 142], [188, 172, 142], [104, 120, 104]]),
            common,
            lamp: [1.0, 0.5 + 0.5 * warm, 0.3 + 0.65 * warm].map(|c| 5.2 * c),
            ambient: 0.36,
        });
    }
    // The rooms of an open plan have the same walls.
    for (index, room) in plan.rooms.iter().enumerate() {
        if let Some(other) = room.joins {
            styles[index].wall = styles[other].wall;
        }
    }
    if let Some(dim) = dim_room(plan) {
        styles[dim].lamp = styles[dim].lamp.map(|c| c * 0.5);
        styles[dim].ambient = 0.018;
    }
    styles
}

/// Returns the room with a dark corner: a storage room, otherwise a bathroom, otherwise the last
/// room.
pub(crate) fn dim_room(plan: &Plan) -> Option<usize> {
    let of = |kind: Kind| plan.rooms.iter().position(|room| room.kind == kind);
    let closed = |index: &usize| plan.rooms.iter().all(|room| room.joins != Some(*index));
    let last = (1..plan.rooms.len()).rev().find(|index| plan.rooms[*index].joins.is_none() && closed(index));
    of(Kind::Storage).or_else(|| of(Kind::Bathroom)).or(last)
}

fn wall_texture(kind: Kind, choice: usize, colour: Colour, random: &mut Random) -> Texture {
    let figure = *random.pick(&[[150, 120, 90], [110, 132, 150], [166, 150, 110], [128, 142, 118]]);
    match (kind, choice) {
        (Kind::Bathroom, _) => {
            let tile = *random.pick(&[[190, 212, 214], [222, 222, 214], [176, 200, 190]]);
            patterns::tiles(random, tile, tile, [140, 140, 136], 10)
        }
        (Kind::Storage, _) => patterns::stone(random, [168, 168, 164], 0.15),
        (_, 0) => {
            let colour = *random.pick(&[[166, 88, 66], [206, 200, 190], [150, 104, 80]]);
            patterns::brick(random, colour, [190, 184, 174])
        }
        (_, 1 | 2) => patterns::wallpaper(random, colour, figure),
        (Kind::Office | Kind::Dining | Kind::Living, 3) => patterns::boards(random, [184, 148, 106], 12),
        _ => patterns::plaster(random, colour),
    }
}

fn floor_texture(kind: Kind, random: &mut Random) -> Texture {
    let dark = *random.pick(&[true, false]);
    match kind {
        Kind::Bathroom => patterns::tiles(random, [150, 156, 160], [92, 98, 104], [70, 70, 70], 8),
        Kind::Kitchen => {
            let other = if dark { [196, 150, 116] } else { [214, 206, 190] };
            patterns::tiles(random, [214, 206, 190], other, [128, 122, 112], 5)
        }
        Kind::Hall => patterns::tiles(random, [172, 148, 122], [160, 134, 108], [104, 92, 80], 4),
        Kind::Storage => patterns::stone(random, [138, 136, 132], 0.1),
        Kind::Office => patterns::cloth(random, if dark { [92, 98, 110] } else { [128, 122, 112] }),
        _ => patterns::boards(random, *random.clone().pick(WOODS), if dark { 12 } else { 16 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pale_walls_change_nothing_else() {
        let options = WalkOptions::default();
        let plan = Plan::draw(options.seed, options.room_count());
        let dressed = |pale: bool| {
            let mut scene = Scene::default();
            let styles = dress(&plan, &mut scene, &WalkOptions { pale, ..options.clone() });
            (styles, scene)
        };
        let ((usual, _), (pale, _)) = (dressed(false), dressed(true));
        for (a, b) in usual.iter().zip(&pale) {
            assert_eq!((a.wood_colour, a.front_colour, a.lamp), (b.wood_colour, b.front_colour, b.lamp));
        }
        assert_ne!(options.name(), WalkOptions { pale: true, ..options.clone() }.name());
    }
}
