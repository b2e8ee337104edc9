//! Simple, recognisable furniture. Each piece is built from its left end at the wall.

use crate::{
    house::builder::{Builder, Material},
    house::pictures,
    house::style::Style,
    random::Random,
};

/// Builds a piece of furniture.
pub(crate) type Build = fn(&mut Builder<'_>, &Style, &mut Random);

/// A piece of furniture that can be placed.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    /// Category of the piece.
    pub(crate) category: &'static str,
    /// Width, depth and height in metres.
    pub(crate) size: (f32, f32, f32),
    /// Whether it stands at a wall. Otherwise it stands free.
    pub(crate) at_wall: bool,
    /// Function that builds it.
    pub(crate) build: Build,
    /// Objects that belong to it, for the inventory.
    pub(crate) with: Option<(&'static str, usize)>,
}

const fn at_wall(category: &'static str, size: (f32, f32, f32), build: Build) -> Piece {
    Piece { category, size, at_wall: true, build, with: None }
}

/// A sofa with three cushions.
pub(crate) const SOFA: Piece = at_wall("sofa", (2.0, 0.92, 0.85), sofa);
/// An armchair.
pub(crate) const ARMCHAIR: Piece = at_wall("armchair", (0.95, 0.9, 0.85), armchair);
/// A low, free-standing table.
pub(crate) const COFFEE_TABLE: Piece =
    Piece { at_wall: false, ..at_wall("coffee table", (1.0, 0.6, 0.45), coffee_table) };
/// A screen on a low board.
pub(crate) const TELEVISION: Piece = at_wall("television", (1.5, 0.42, 1.2), television);
/// Books on shelves.
pub(crate) const BOOKSHELF: Piece = at_wall("bookshelf", (1.0, 0.32, 1.95), bookshelf);
/// A pot with leaves.
pub(crate) const PLANT: Piece = at_wall("plant", (0.5, 0.5, 1.3), plant);
/// A lamp on a pole.
pub(crate) const FLOOR_LAMP: Piece = at_wall("floor lamp", (0.4, 0.4, 1.65), floor_lamp);
/// A round table and chairs.
pub(crate) const ROUND_TABLE: Piece = Piece {
    at_wall: false,
    with: Some(("chair", 4)),
    ..at_wall("round table", (1.7, 1.7, 0.95), round_table)
};
/// A long table and chairs.
pub(crate) const DINING_TABLE: Piece = Piece {
    at_wall: false,
    with: Some(("chair", 6)),
    ..at_wall("dining table", (2.1, 1.75, 0.95), dining_table)
};
/// A double bed.
pub(crate) const BED: Piece = at_wall("bed", (1.7, 2.1, 1.0), bed);
/// A small table with a lamp.
pub(crate) const NIGHTSTAND: Piece = at_wall("nightstand", (0.45, 0.4, 0.95), nightstand);
/// A wardrobe with tall doors.
pub(crate) const WARDROBE: Piece = at_wall("wardrobe", (1.5, 0.6, 2.05), wardrobe);
/// A counter with sink and stove, and cupboards above.
pub(crate) const KITCHEN_COUNTER: Piece = at_wall("kitchen counter", (2.6, 0.62, 2.1), kitchen_counter);
/// A tall, white refrigerator.
pub(crate) const FRIDGE: Piece = at_wall("refrigerator", (0.65, 0.65, 1.85), fridge);
/// A bathtub.
pub(crate) const BATHTUB: Piece = at_wall("bathtub", (1.65, 0.75, 0.58), bathtub);
/// A bowl and a cistern.
pub(crate) const TOILET: Piece = at_wall("toilet", (0.42, 0.68, 0.85), toilet);
/// A basin under a mirror.
pub(crate) const WASHBASIN: Piece = at_wall("washbasin", (0.7, 0.48, 1.8), washbasin);
/// A table with a screen, and its chair.
pub(crate) const DESK: Piece = Piece { with: Some(("chair", 1)), ..at_wall("desk", (1.5, 1.3, 1.25), desk) };
/// A white board on the wall.
pub(crate) const WHITEBOARD: Piece = at_wall("whiteboard", (1.4, 0.05, 1.9), whiteboard);
/// Metal shelves with boxes.
pub(crate) const RACK: Piece = at_wall("shelf", (1.3, 0.45, 1.9), rack);
/// Stacked cartons.
pub(crate) const CARTONS: Piece = at_wall("boxes", (1.0, 0.6, 0.9), cartons);
/// A narrow table.
pub(crate) const CONSOLE: Piece = at_wall("console table", (1.1, 0.35, 1.1), console);
/// Hooks with coats.
pub(crate) const COATS: Piece = at_wall("coat rack", (0.9, 0.22, 1.75), coats);
/// A seat without arms.
pub(crate) const BENCH: Piece = at_wall("bench", (1.1, 0.4, 0.45), bench);

fn legs(
    b: &mut Builder<'_>,
    (x0, y0): (f32, f32),
    (x1, y1): (f32, f32),
    (low, high): (f32, f32),
    material: Material,
) {
    let t = 0.045;
    for x in [x0, x1 - t] {
        for y in [y0, y1 - t] {
            b.block((x, y, low), (x + t, y + t, high), material);
        }
    }
}

fn seat(b: &mut Builder<'_>, s: &Style, width: f32, cushions: usize) {
    b.block((0.0, 0.0, 0.08), (width, 0.9, 0.30), s.cloth);
    b.block((0.0, 0.0, 0.30), (width, 0.22, 0.85), s.cloth);
    b.block((0.0, 0.0, 0.30), (0.2, 0.9, 0.60), s.cloth);
    b.block((width - 0.2, 0.0, 0.30), (width, 0.9, 0.60), s.cloth);
    let one = (width - 0.42) / cushions as f32;
    for i in 0..cushions {
        let x = 0.21 + one * i as f32;
        b.block((x + 0.01, 0.22, 0.30), (x + one - 0.01, 0.88, 0.44), s.cloth);
        b.block((x + 0.04, 0.22, 0.44), (x + one - 0.04, 0.36, 0.80), s.second_cloth);
    }
    legs(b, (0.05, 0.05), (width - 0.05, 0.85), (0.0, 0.08), s.common.black);
}

fn sofa(b: &mut Builder<'_>, s: &Style, _: &mut Random) {
    seat(b, s, 2.0, 3);
}

fn armchair(b: &mut Builder<'_>, s: &Style, _: &mut Random) {
    seat(b, s, 0.95, 1);
}

fn coffee_table(b: &mut Builder<'_>, s: &Style, random: &mut Random) {
    b.block((0.0, 0.0, 0.40), (1.0, 0.6, 0.45), s.wood);
    b.block((0.08, 0.08, 0.14), (0.92, 0.52, 0.17), s.wood);
    legs(b, (0.03, 0.03), (0.97, 0.57), (0.0, 0.40), s.wood);
    let cover = pictures::painting(random, 0.22, 0.3);
    let cover = Material::of(b.scene().add_texture(cover));
    b.block((0.2, 0.15, 0.45), (0.42, 0.45, 0.47), cover);
    b.round((0.72, 0.3), (0.05, 0.08), (0.45, 0.60), s.common.clay);
}

fn television(b: &mut Builder<'_>, s: &Style, _: &mut Random) {
    let front = pictures::cabinet(s.wood_colour, 1.5, 0.4, 3, 1);
    let front = Material::of(b.scene().add_texture(front));
    b.block_with_front((0.0, 0.0, 0.05), (1.5, 0.42, 0.48), s.wood, front);
    b.block((0.55, 0.15, 0.48), (0.95, 0.3, 0.50), s.common.black);
    b.block((0.70, 0.2, 0.50), (0.80, 0.24, 0.58), s.common.black);
    b.block_with_front((0.16, 0.19, 0.56), (1.34, 0.24, 1.22), s.common.black, s.common.black);
    b.panel(0.185, 0.2425, 1.195, 1.13, 0.61, s.common.screen);
}

fn bookshelf(b: &mut Builder<'_>, s: &Style, random: &mut Random) {
    let books = pictures::books(random, 0.94, 1.89, 5, s.wood_colour);
    let books = Material::of(b.scene().add_texture(books));
    b.block((0.0, 0.0, 0.0), (0.03, 0.32, 1.95), s.wood);
    b.block((0.97, 0.0, 0.0), (1.0, 0.32, 1.95), s.wood);
    b.block((0.03, 0.0, 1.92), (0.97, 0.32, 1.95), s.wood);
    b.block_with_front((0.03, 0.0, 0.03), (0.97, 0.22, 1.92), s.wood, books);
    for shelf in 0..5 {
        let z = 0.03 + shelf as f32 * 0.378;
        b.block((0.03, 0.0, z), (0.97, 0.31, z + 0.03), s.wood);
    }
}

fn plant(b: &mut Builder<'_>, s: &Style, random: &mut Random) {
    b.round((0.25, 0.25), (0.13, 0.18), (0.0, 0.34), s.common.clay);
    b.round((0.25, 0.25), (0.015, 0.012), (0.34, 0.8), s.wood);
    for i in 0..26 {
        let (a, up) = (i as f32 * 2.4, random.range(0.45, 1.22));
        let reach = random.range(0.04, 0.19) * (1.4 - up * 0.5);
        let (x, y) = (0.25 + reach * a.cos(), 0.25 + reach * a.sin());
        let r = random.range(0.05, 0.09);
        b.round((x, y), (r * 0.3, r), (up - 0.07, up), s.common.leaf);
        b.round((x, y), (r, 0.006), (up, up + 0.05), s.common.leaf);
    }
}

fn floor_lamp(b: &mut Builder<'_>, s: &Style, _: &mut Random) {
    b.round((0.2, 0.2), (0.15, 0.14), (0.0, 0.03), s.common.black);
    b.round((0.2, 0.2), (0.013, 0.013), (0.03, 1.35), s.common.black);
    b.round((0.2, 0.2), (0.2, 0.13), (1.35, 1.65), s.common.linen);
}

fn chair(b: &mut Builder<'_>, s: &Style) {
    b.block((0.0, 0.0, 0.43), (0.42, 0.42, 0.47), s.wood);
    b.block((0.02, 0.03, 0.47), (0.40, 0.41, 0.50), s.second_cloth);
    legs(b, (0.0, 0.0), (0.42, 0.42), (0.0, 0.43), s.wood);
    b.block((0.0, 0.0, 0.47), (0.045, 0.045, 0.95), s.wood);
    b.block((0.375, 0.0, 0.47), (0.42, 0.045, 0.95), s.wood);
    for z in [0.60, 0.72, 0.84] {
        b.block((0.045, 0.008, z), (0.375, 0.035, z + 0.08), s.wood);
    }
}

fn chairs(b: &mut Builder<'_>, s: &Style, places: &[(f32, f32, u8)]) {
    for &(x, y, quarter) in places {
        chair(&mut b.around("chair", (x, y), quarter, (0.42, 0.42)), s);
    }
}

fn round_table(b: &mut Builder<'_>, s: &Style, _: &mut Random) {
    let middle = (0.85, 0.85);
    b.round(middle, (0.52, 0.52), (0.71, 0.75), s.wood);
    b.round(middle, (0.06, 0.05), (0.06, 0.71), s.wood);
    b.round(middle, (0.30, 0.08), (0.0, 0.08), s.wood);
    b.round((0.75, 0.9), (0.06, 0.14), (0.75, 0.84), s.common.white);
    b.round((0.75, 0.9), (0.10, 0.02), (0.80, 0.89), s.common.clay);
    chairs(b, s, &[(0.85, 0.22, 0), (0.85, 1.48, 2), (0.22, 0.85, 3), (1.48, 0.85, 1)]);
}

fn dining_table(b: &mut Builder<'_>, s: &Style, _: &mut Random) {
    b.block((0.2, 0.42, 0.71), (1.9, 1.33, 0.75), s.wood);
    legs(b, (0.24, 0.46), (1.86, 1.29), (0.0, 0.71), s.wood);
    b.block((0.75, 0.6, 0.75), (1.35, 1.15, 0.755), s.second_cloth);
    b.round((1.05, 0.88), (0.05, 0.07), (0.75, 0.95), s.common.glass);
    b.round((1.05, 0.88), (0.03, 0.13), (0.95, 1.15), s.common.leaf);
    let mut places = Vec::new();
    for x in [0.5, 1.05, 1.6] {
        places.extend([(x, 0.22, 0), (x, 1.53, 2)]);
    }
    chairs(b, s, &places);
}

fn bed(b: &mut Builder<'_>, s: &Style, _: &mut Random) {
    b.block((0.0, 0.0, 0.0), (1.7, 0.06, 1.0), s.wood);
    b.block((0.0, 0.06, 0.12), (1.7, 2.1, 0.30), s.wood);
    b.block((0.03, 0.06, 0.30), (1.67, 2.07, 0.48), s.common.linen);
    b.block((0.0, 0.75, 0.34), (1.7, 2.09, 0.53), s.cloth);
    b.block((0.0, 0.62, 0.36), (1.7, 0.80, 0.54), s.common.linen);
    for x in [0.12, 0.92] {
        b.block((x, 0.10, 0.48), (x + 0.66, 0.52, 0.60), s.common.linen);
    }
    b.block((0.55, 0.45, 0.53), (1.15, 0.60, 0.78), s.second_cloth);
    legs(b, (0.02, 0.1), (1.68, 2.08), (0.0, 0.12), s.wood);
}

fn nightstand(b: &mut Builder<'_>, s: &Style, _: &mut Random) {
    let front = pictures::cabinet(s.wood_colour, 0.45, 0.5, 1, 2);
    let front = Material::of(b.scene().add_texture(front));
    b.block_with_front((0.0, 0.0, 0.04), (0.45, 0.4, 0.54), s.wood, front);
    b.round((0.22, 0.2), (0.07, 0.06), (0.54, 0.57), s.common.black);
    b.round((0.22, 0.2), (0.012, 0.012), (0.57, 0.74), s.common.black);
    b.round((0.22, 0.2), (0.13, 0.08), (0.74, 0.95), s.common.linen);
}

fn wardrobe(b: &mut Builder<'_>, s: &Style, _: &mut Random) {
    let front = pictures::cabinet(s.wood_colour, 1.5, 2.05, 3, 1);
    let front = Material::of(b.scene().add_texture(front));
    b.block_with_front((0.0, 0.0, 0.0), (1.5, 0.6, 2.05), s.wood, front);
}

fn kitchen_counter(b: &mut Builder<'_>, s: &Style, _: &mut Random) {
    let below = pictures::cabinet(s.front_colour, 2.6, 0.76, 5, 1);
    let above = pictures::cabinet(s.front_colour, 1.7, 0.6, 3, 1);
    let (below, above) =
        (Material::of(b.scene().add_texture(below)), Material::of(b.scene().add_texture(above)));
    let c = s.common;
    b.block((0.02, 0.05, 0.0), (2.58, 0.54, 0.10), c.black);
    b.block_with_front((0.0, 0.0, 0.10), (2.6, 0.60, 0.86), c.white, below);
    b.block((0.0, 0.0, 0.86), (2.6, 0.62, 0.90), c.marble);
    {
        let mut sink = b.around("sink", (0.55, 0.32), 0, (0.6, 0.42));
        sink.block((0.0, 0.0, 0.90), (0.6, 0.42, 0.906), c.steel);
        sink.plate((0.04, 0.04, 0.9065), 0.52, 0.34, c.black);
        sink.plate((0.07, 0.07, 0.907), 0.46, 0.28, c.steel);
        sink.round((0.3, 0.02), (0.016, 0.014), (0.90, 1.15), c.steel);
        sink.block((0.287, 0.02, 1.13), (0.313, 0.20, 1.155), c.steel);
        sink.block((0.287, 0.18, 1.09), (0.313, 0.20, 1.13), c.steel);
    }
    {
        let mut stove = b.around("stove", (1.85, 0.32), 0, (0.6, 0.52));
        stove.block((0.0, 0.0, 0.90), (0.6, 0.52, 0.91), c.black);
        for (x, y) in [(0.16, 0.14), (0.44, 0.14), (0.16, 0.38), (0.44, 0.38)] {
            stove.round((x, y), (0.085, 0.085), (0.91, 0.914), c.steel);
            stove.round((x, y), (0.065, 0.065), (0.914, 0.917), c.black);
        }
        stove.panel(0.03, 0.575, 0.82, 0.54, 0.56, c.black);
        stove.block((0.06, 0.575, 0.74), (0.54, 0.60, 0.76), c.steel);
        stove.round((0.16, 0.14), (0.09, 0.1), (0.917, 1.05), c.clay);
    }
    b.block_with_front((0.0, 0.0, 1.45), (1.5, 0.34, 2.1), c.white, above);
    b.block((1.58, 0.0, 1.62), (2.12, 0.42, 1.70), c.steel);
    b.block((1.74, 0.0, 1.70), (1.96, 0.25, 2.1), c.steel);
    b.round((2.4, 0.2), (0.05, 0.05), (0.90, 1.12), c.clay);
}

fn fridge(b: &mut Builder<'_>, s: &Style, _: &mut Random) {
    let c = s.common;
    b.block((0.0, 0.0, 0.02), (0.65, 0.62, 1.85), c.white);
    b.block((0.01, 0.62, 0.05), (0.64, 0.645, 1.18), c.white);
    b.block((0.01, 0.62, 1.20), (0.64, 0.645, 1.83), c.white);
    b.block((0.06, 0.645, 0.85), (0.09, 0.68, 1.12), c.steel);
    b.block((0.06, 0.645, 1.26), (0.09, 0.68, 1.5), c.steel);
}

fn bathtub(b: &mut Builder<'_>, s: &Style, _: &mut Random) {
    let c = s.common.white;
    b.block((0.0, 0.0, 0.0), (1.65, 0.08, 0.58), c);
    b.block((0.0, 0.67, 0.0), (1.65, 0.75, 0.58), c);
    b.block((0.0, 0.08, 0.0), (0.08, 0.67, 0.58), c);
    b.block((1.57, 0.08, 0.0), (1.65, 0.67, 0.58), c);
    b.block((0.08, 0.08, 0.0), (1.57, 0.67, 0.2), c);
    b.round((0.2, 0.04), (0.02, 0.02), (0.58, 0.78), s.common.steel);
    b.block((0.18, 0.04, 0.76), (0.22, 0.22, 0.79), s.common.steel);
}

fn toilet(b: &mut Builder<'_>, s: &Style, _: &mut Random) {
    let c = s.common.white;
    b.block((0.02, 0.0, 0.38), (0.40, 0.18, 0.85), c);
    b.block((0.10, 0.1, 0.0), (0.32, 0.5, 0.3), c);
    b.round((0.21, 0.44), (0.14, 0.21), (0.12, 0.40), c);
    b.round((0.21, 0.44), (0.215, 0.21), (0.40, 0.43), s.common.glass);
    b.block((0.18, 0.06, 0.85), (0.24, 0.12, 0.87), s.common.steel);
}

fn washbasin(b: &mut Builder<'_>, s: &Style, _: &mut Random) {
    let c = s.common;
    b.round((0.35, 0.2), (0.09, 0.11), (0.0, 0.74), c.white);
    b.block((0.0, 0.0, 0.74), (0.7, 0.48, 0.86), c.white);
    b.plate((0.08, 0.10, 0.861), 0.54, 0.32, c.glass);
    b.round((0.35, 0.06), (0.016, 0.014), (0.86, 1.0), c.steel);
    b.block((0.34, 0.06, 0.98), (0.36, 0.18, 1.0), c.steel);
    let mut mirror = b.around("mirror", (0.35, 0.012), 0, (0.6, 0.024));
    mirror.block((0.0, 0.0, 1.12), (0.6, 0.02, 1.8), s.wood);
    mirror.panel(0.03, 0.022, 1.77, 0.54, 0.62, c.glass);
}

fn desk(b: &mut Builder<'_>, s: &Style, random: &mut Random) {
    let c = s.common;
    b.block((0.0, 0.0, 0.71), (1.5, 0.68, 0.75), s.wood);
    legs(b, (0.03, 0.03), (1.47, 0.65), (0.0, 0.71), c.black);
    let front = pictures::cabinet(s.wood_colour, 0.4, 0.55, 1, 3);
    let front = Material::of(b.scene().add_texture(front));
    b.block_with_front((1.04, 0.06, 0.12), (1.44, 0.62, 0.70), s.wood, front);
    {
        let mut monitor = b.around("monitor", (0.65, 0.22), 0, (0.62, 0.2));
        monitor.block((0.2, 0.0, 0.75), (0.42, 0.2, 0.765), c.black);
        monitor.block((0.29, 0.06, 0.765), (0.33, 0.09, 0.9), c.black);
        monitor.block((0.0, 0.09, 0.86), (0.62, 0.12, 1.24), c.black);
        let picture = pictures::window(random, 0.59, 0.35);
        let picture = Material::glowing(monitor.scene().add_texture(picture), 0.75);
        monitor.panel(0.015, 0.1215, 1.225, 0.59, 0.35, picture);
    }
    b.block((0.42, 0.42, 0.75), (0.88, 0.57, 0.77), c.black);
    b.round((1.3, 0.3), (0.035, 0.04), (0.75, 0.85), c.clay);
    let mut chair = b.around("chair", (0.65, 0.95), 2, (0.5, 0.5));
    chair.round((0.25, 0.25), (0.28, 0.05), (0.0, 0.08), c.black);
    chair.round((0.25, 0.25), (0.025, 0.025), (0.08, 0.44), c.steel);
    chair.block((0.01, 0.02, 0.44), (0.49, 0.48, 0.52), s.cloth);
    chair.block((0.05, 0.0, 0.58), (0.45, 0.06, 1.02), s.cloth);
    chair.block((0.22, 0.0, 0.46), (0.28, 0.03, 0.6), c.black);
}

fn whiteboard(b: &mut Builder<'_>, s: &Style, random: &mut Random) {
    b.block((0.0, 0.0, 0.95), (1.4, 0.03, 1.9), s.common.steel);
    let picture = pictures::whiteboard_drawing(random, 1.34, 0.89);
    let picture = Material::of(b.scene().add_texture(picture));
    b.panel(0.03, 0.032, 1.87, 1.34, 0.89, picture);
    b.block((0.3, 0.03, 0.94), (1.1, 0.09, 0.955), s.common.steel);
}

fn rack(b: &mut Builder<'_>, s: &Style, random: &mut Random) {
    let c = s.common;
    legs(b, (0.0, 0.0), (1.3, 0.45), (0.0, 1.9), c.steel);
    for z in [0.12, 0.62, 1.12, 1.6] {
        b.block((0.0, 0.0, z), (1.3, 0.45, z + 0.03), c.steel);
        let mut x = 0.06;
        while x < 1.0 {
            let (w, h) = (random.range(0.2, 0.36), random.range(0.14, 0.34));
            let materials = [c.carton, c.carton, s.cloth, c.white, s.wood];
            if random.chance(0.85) {
                b.block((x, 0.06, z + 0.03), (x + w, 0.38, z + 0.03 + h), *random.pick(&materials));
            }
            x += w + random.range(0.02, 0.1);
        }
    }
}

fn cartons(b: &mut Builder<'_>, s: &Style, _: &mut Random) {
    let c = s.common.carton;
    for (low, high) in [
        ((0.0, 0.05, 0.0), (0.5, 0.5, 0.4)),
        ((0.52, 0.0, 0.0), (1.0, 0.55, 0.48)),
        ((0.1, 0.08, 0.4), (0.5, 0.46, 0.75)),
    ] {
        b.block(low, high, c);
        b.panel(low.0, high.1 + 0.002, high.2 - 0.1, high.0 - low.0, 0.05, s.common.linen);
    }
}

fn console(b: &mut Builder<'_>, s: &Style, _: &mut Random) {
    b.block((0.0, 0.0, 0.78), (1.1, 0.35, 0.82), s.wood);
    b.block((0.03, 0.03, 0.66), (1.07, 0.33, 0.78), s.wood);
    legs(b, (0.02, 0.02), (1.08, 0.33), (0.0, 0.66), s.wood);
    b.round((0.25, 0.17), (0.06, 0.09), (0.82, 1.02), s.common.clay);
    b.round((0.25, 0.17), (0.05, 0.14), (1.02, 1.2), s.common.leaf);
    b.block((0.6, 0.08, 0.82), (0.9, 0.28, 0.86), s.second_cloth);
}

fn coats(b: &mut Builder<'_>, s: &Style, _: &mut Random) {
    b.block((0.0, 0.0, 1.62), (0.9, 0.03, 1.75), s.wood);
    for (i, material) in [s.cloth, s.second_cloth, s.common.black].into_iter().enumerate() {
        let x = 0.06 + i as f32 * 0.29;
        b.block((x + 0.1, 0.03, 1.66), (x + 0.13, 0.12, 1.69), s.common.steel);
        b.block((x, 0.04, 0.85), (x + 0.24, 0.17, 1.55), material);
        b.block((x + 0.06, 0.05, 1.55), (x + 0.18, 0.14, 1.66), material);
    }
}

fn bench(b: &mut Builder<'_>, s: &Style, _: &mut Random) {
    b.block((0.0, 0.0, 0.38), (1.1, 0.4, 0.42), s.wood);
    b.block((0.02, 0.02, 0.42), (1.08, 0.38, 0.47), s.cloth);
    legs(b, (0.03, 0.03), (1.07, 0.37), (0.0, 0.38), s.wood);
}
