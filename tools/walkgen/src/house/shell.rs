//! Walls, floors, ceilings, doorways, windows and lamps.

use crate::{
    house::builder::{Builder, Material},
    house::pictures,
    house::plan::{DOOR_HEIGHT_M, Opening, Plan, Room, WALL_THICKNESS_M, Wall},
    house::style::Style,
    random::Random,
    scene::{Light, Portal, Scene},
};

/// Builds the shell of every room.
pub(crate) fn build(plan: &Plan, styles: &[Style], scene: &mut Scene, seed: u64) {
    let mut random = Random::new(seed, 3);
    for (index, (room, style)) in plan.rooms.iter().zip(styles).enumerate() {
        scene.rooms[index].ambient = style.ambient;
        let walls = room.walls();
        let mut shell = Builder::at_wall(scene, index, "shell", &walls[2], 0.0, 0.0);
        let (width, depth) = (room.floor.width(), room.floor.depth());
        shell.plate((0.0, 0.0, 0.0), width, depth, style.floor);
        shell.ceiling((0.0, 0.0, room.height), width, depth, style.common.ceiling);
        let object = shell.object();
        for (number, wall) in walls.iter().enumerate() {
            let mut openings: Vec<&Opening> = room.openings.iter().filter(|o| o.wall == number).collect();
            openings.sort_by(|a, b| a.from.total_cmp(&b.from));
            let mut builder = Builder::go_on(scene, index, object, wall);
            solid_parts(&mut builder, room, wall, &openings, style);
            skirting(&mut builder, wall, &openings, style);
            for opening in openings {
                match opening.door {
                    Some(door) => {
                        reveal(
                            &mut builder,
                            opening,
                            WALL_THICKNESS_M / 2.0,
                            style.floor,
                            style.common.white,
                        );
                        if opening.high < room.height {
                            trim(&mut builder, opening, style);
                        }
                        let portal = portal(&builder, opening, plan.doors[door].other(index));
                        builder.scene().rooms[index].portals.push(portal);
                    }
                    None => {
                        let mut window = builder.around("window", (0.0, 0.0), 0, (0.0, 0.0));
                        glaze(&mut window, opening, style, &mut random);
                    }
                }
            }
        }
        hang_lamp(scene, index, room, style, &mut random);
    }
}

/// Builds the parts of a wall around its openings.
fn solid_parts(wall: &mut Builder<'_>, room: &Room, frame: &Wall, openings: &[&Opening], style: &Style) {
    let height = room.height;
    let mut part = |left: f32, right: f32, low: f32, high: f32| {
        if right - left > 1e-3 && high - low > 1e-3 {
            wall.wall_part(left, high, (right - left, high - low), height, style.wall);
        }
    };
    let mut left = 0.0;
    for opening in openings {
        part(left, opening.from, 0.0, height);
        part(opening.from, opening.to, 0.0, opening.low);
        part(opening.from, opening.to, opening.high, height);
        left = opening.to;
    }
    part(left, frame.length, 0.0, height);
}

fn skirting(wall: &mut Builder<'_>, frame: &Wall, openings: &[&Opening], style: &Style) {
    let mut left = 0.0;
    for opening in openings.iter().filter(|o| o.door.is_some()) {
        wall.block((left, 0.0, 0.0), (opening.from - 0.08, 0.016, 0.09), style.common.white);
        left = opening.to + 0.08;
    }
    wall.block((left, 0.0, 0.0), (frame.length, 0.016, 0.09), style.common.white);
}

/// Builds the sides of an opening, `deep` metres into the wall.
fn reveal(wall: &mut Builder<'_>, o: &Opening, deep: f32, below: Material, sides: Material) {
    wall.plate((o.from, -deep, o.low), o.to - o.from, deep, below);
    wall.ceiling((o.from, -deep, o.high), o.to - o.from, deep, sides);
    wall.cheek((o.from, -deep, o.high), deep, o.high - o.low, true, sides);
    wall.cheek((o.to, -deep, o.high), deep, o.high - o.low, false, sides);
}

fn trim(wall: &mut Builder<'_>, o: &Opening, style: &Style) {
    let material = style.common.white;
    wall.block((o.from - 0.075, 0.0, 0.0), (o.from, 0.022, DOOR_HEIGHT_M + 0.075), material);
    wall.block((o.to, 0.0, 0.0), (o.to + 0.075, 0.022, DOOR_HEIGHT_M + 0.075), material);
    wall.block((o.from, 0.0, DOOR_HEIGHT_M), (o.to, 0.022, DOOR_HEIGHT_M + 0.075), material);
}

fn portal(wall: &Builder<'_>, o: &Opening, to: usize) -> Portal {
    let y = -WALL_THICKNESS_M / 2.0;
    let corners = [(o.from, o.low), (o.to, o.low), (o.to, o.high), (o.from, o.high)];
    Portal { to, corners: corners.map(|(x, z)| wall.place((x, y, z))) }
}

fn glaze(wall: &mut Builder<'_>, o: &Opening, style: &Style, random: &mut Random) {
    let (width, height) = (o.to - o.from, o.high - o.low);
    reveal(wall, o, WALL_THICKNESS_M * 0.8, style.common.white, style.common.white);
    let view = pictures::window(random, width, height);
    let brightness = (style.ambient / 0.36).sqrt().clamp(0.2, 1.0);
    let view = Material::glowing(wall.scene().add_texture(view), brightness);
    wall.panel(o.from, -WALL_THICKNESS_M * 0.8, o.high, width, height, view);
    wall.block((o.from - 0.05, 0.0, o.low - 0.04), (o.to + 0.05, 0.10, o.low), style.common.white);
    let cloth = style.second_cloth;
    if width > 1.0 {
        let mut curtain = wall.around("curtain", (0.0, 0.0), 0, (0.0, 0.0));
        for (from, to) in [(o.from - 0.30, o.from + 0.04), (o.to - 0.04, o.to + 0.30)] {
            let folds = 5;
            for fold in 0..folds {
                let at = |i: usize| from + (to - from) * i as f32 / folds as f32;
                let y = if fold % 2 == 0 { 0.05 } else { 0.075 };
                curtain.block((at(fold), 0.03, 0.25), (at(fold + 1), y + 0.03, o.high + 0.14), cloth);
            }
        }
        curtain.block((o.from - 0.36, 0.05, o.high + 0.14), (o.to + 0.36, 0.08, o.high + 0.17), style.wood);
    }
    let middle = wall.place(((o.from + o.to) / 2.0, 0.02, (o.low + o.high) / 2.0));
    let right = wall.place((1.0, 0.0, 0.0)) - wall.place((0.0, 0.0, 0.0));
    let out = wall.place((0.0, 1.0, 0.0)) - wall.place((0.0, 0.0, 0.0));
    // Little light comes through the windows of the dim room.
    let power = width * height * 2.2 * (style.ambient / 0.36).min(1.0);
    let light = Light {
        place: middle,
        half: (right * (width * 0.4), crate::math::Vec3::UP * (height * 0.4)),
        power: [0.94 * power, 0.98 * power, 1.04 * power],
        facing: Some(out),
    };
    wall.add_light(light);
}

fn hang_lamp(scene: &mut Scene, index: usize, room: &Room, style: &Style, random: &mut Random) {
    let walls = room.walls();
    let (width, depth) = (room.floor.width(), room.floor.depth());
    let dim = style.ambient < 0.1;
    // The lamp of the dim room lights one corner, so that the opposite one stays dark.
    let at = if dim {
        (width * 0.22, depth * 0.22)
    } else {
        (width * random.range(0.42, 0.58), depth * random.range(0.42, 0.58))
    };
    let mut lamp = Builder::at_wall(scene, index, "lamp", &walls[2], 0.0, 0.0);
    let top = room.height;
    lamp.round(at, (0.006, 0.006), (top - 0.28, top), style.common.black);
    lamp.round(at, (0.17, 0.09), (top - 0.48, top - 0.28), style.common.lamp);
    let place = lamp.place((at.0, at.1, top - 0.55));
    let (a, b) = (crate::math::vec3(0.14, 0.0, 0.0), crate::math::vec3(0.0, 0.14, 0.0));
    let wall = &walls[2];
    let into_corner = (wall.right + wall.normal) * -0.5 - crate::math::Vec3::UP * 0.5;
    let facing = dim.then(|| into_corner.unit());
    lamp.add_light(Light { place, half: (a, b), power: style.lamp, facing });
}
