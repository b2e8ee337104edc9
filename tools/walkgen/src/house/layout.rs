//! Arranges furniture along the walls and free-standing, and leaves ways for the walker. Several
//! arrangements are tried, and the one with the most furniture is kept.

use crate::{
    house::furniture::*,
    house::plan::{Kind, Plan, Room, Wall},
    math::{Rect, Vec3, vec3},
    random::Random,
    walker::CLEARANCE_M,
};

/// Number of arrangements that are tried.
const ATTEMPTS: usize = 60;

fn pieces(kind: Kind) -> &'static [Piece] {
    match kind {
        Kind::Hall => &[CONSOLE, COATS, BENCH, PLANT],
        Kind::Living => &[SOFA, TELEVISION, BOOKSHELF, COFFEE_TABLE, ARMCHAIR, PLANT, FLOOR_LAMP],
        Kind::Kitchen => &[KITCHEN_COUNTER, FRIDGE, ROUND_TABLE, PLANT],
        Kind::Bedroom => &[BED, WARDROBE, NIGHTSTAND, ARMCHAIR, PLANT],
        Kind::Bathroom => &[BATHTUB, WASHBASIN, TOILET, PLANT],
        Kind::Office => &[DESK, BOOKSHELF, WHITEBOARD, ARMCHAIR, PLANT],
        Kind::Dining => &[DINING_TABLE, CONSOLE, BOOKSHELF, PLANT],
        Kind::Storage => &[RACK, RACK, CARTONS],
    }
}

/// A part of a wall where nothing can hang.
#[derive(Debug, Clone)]
pub(crate) struct Taken {
    /// Index of the wall.
    pub(crate) wall: usize,
    /// Left edge along the wall.
    pub(crate) from: f32,
    /// Right edge along the wall.
    pub(crate) to: f32,
    /// Lower edge.
    pub(crate) low: f32,
    /// Upper edge.
    pub(crate) high: f32,
}

/// A piece of furniture with its position.
#[derive(Clone)]
pub(crate) struct Placed {
    /// The piece of furniture.
    pub(crate) piece: Piece,
    /// Wall whose coordinates the position uses.
    pub(crate) wall: Wall,
    /// Position of its left end along the wall.
    pub(crate) along: f32,
    /// Distance of its back from the wall.
    pub(crate) out: f32,
}

/// An arrangement of furniture in a room.
#[derive(Clone)]
pub(crate) struct Layout<'a> {
    room: &'a Room,
    entrances: Vec<Vec3>,
    footprints: Vec<Rect>,
    /// Position from which the camera looks around.
    pub(crate) viewpoint: Vec3,
    /// The furniture.
    pub(crate) placed: Vec<Placed>,
    /// Parts of the walls where nothing can hang.
    pub(crate) taken: Vec<Taken>,
}

/// Arranges the furniture of a room.
pub(crate) fn arrange<'a>(plan: &Plan, index: usize, room: &'a Room, random: &mut Random) -> Layout<'a> {
    let wanted = pieces(room.kind);
    let mut best: Option<(usize, Layout<'a>)> = None;
    for attempt in 0..ATTEMPTS {
        let mut layout = Layout::empty(plan, index, room, random, attempt);
        let mut score = 0;
        for (number, piece) in wanted.iter().enumerate() {
            let placed = if piece.at_wall {
                layout.place_at_wall(piece, random)
            } else {
                layout.place_free(piece, random)
            };
            // Earlier pieces weigh more: they are typical of the room.
            score += if placed { 1 << (wanted.len() - number) } else { 0 };
        }
        if best.as_ref().is_none_or(|(other, _)| score > *other) {
            best = Some((score, layout));
        }
        if score + 2 >= 1 << (wanted.len() + 1) {
            break;
        }
    }
    best.map_or_else(|| Layout::empty(plan, index, room, random, 0), |(_, layout)| layout)
}

impl<'a> Layout<'a> {
    fn empty(plan: &Plan, index: usize, room: &'a Room, random: &mut Random, attempt: usize) -> Self {
        let doors = plan.doors.iter().filter(|door| door.rooms.contains(&index));
        let inward = |rooms: [usize; 2], through: Vec3| if rooms[0] == index { -through } else { through };
        let entrances = doors.map(|d| d.centre + inward(d.rooms, d.through) * 0.75).collect();
        // Later attempts look around from further off the centre.
        let reach = (0.15 + attempt as f32 * 0.02).min(0.9);
        let wobble = vec3(random.range(-reach, reach), random.range(-reach, reach), 0.0);
        let taken = room.openings.iter().map(|o| {
            let side = if o.door.is_some() { 0.14 } else { 0.05 };
            Taken { wall: o.wall, from: o.from - side, to: o.to + side, low: o.low, high: o.high }
        });
        let taken = taken.collect();
        let viewpoint = room.floor.centre() + wobble;
        Self { room, entrances, footprints: Vec::new(), viewpoint, placed: Vec::new(), taken }
    }

    /// Returns whether a footprint leaves the ways from the doors to `viewpoint` free.
    fn leaves_ways(&self, rect: &Rect, viewpoint: Vec3) -> bool {
        if rect.distance(viewpoint) < CLEARANCE_M + 0.1 {
            return false;
        }
        self.entrances.iter().all(|&door| {
            let steps = ((viewpoint - door).length() / 0.1).ceil() as usize;
            (0..=steps)
                .all(|i| rect.distance(door.towards(viewpoint, i as f32 / steps.max(1) as f32)) > CLEARANCE_M)
        })
    }

    fn place_at_wall(&mut self, piece: &Piece, random: &mut Random) -> bool {
        let (width, depth, height) = piece.size;
        for _ in 0..160 {
            let wall = random.below(4);
            let frame = self.room.walls()[wall];
            if frame.length < width + 0.04 {
                continue;
            }
            // Most furniture stands in corners.
            let room_left = frame.length - width - 0.02;
            let along = match random.below(4) {
                0 => 0.02,
                1 => room_left,
                _ => random.range(0.02, room_left.max(0.03)),
            };
            let free = self
                .taken
                .iter()
                .all(|t| t.wall != wall || t.to < along || t.from > along + width || t.low >= height);
            let (a, b) = (frame.point(along, 0.02, 0.0), frame.point(along + width, 0.02 + depth, 0.0));
            let rect = Rect { x0: a.x.min(b.x), y0: a.y.min(b.y), x1: a.x.max(b.x), y1: a.y.max(b.y) };
            let fits = self.room.floor.encloses(&rect)
                && self.footprints.iter().all(|other| !other.grown(0.03).overlaps(&rect))
                && self.leaves_ways(&rect, self.viewpoint);
            if !free || !fits {
                continue;
            }
            self.placed.push(Placed { piece: *piece, wall: frame, along, out: 0.02 });
            self.footprints.push(rect);
            self.block_walls(&rect, height);
            return true;
        }
        false
    }

    /// Marks the walls behind a piece of furniture as taken.
    fn block_walls(&mut self, rect: &Rect, height: f32) {
        for (wall, frame) in self.room.walls().into_iter().enumerate() {
            let corners = [vec3(rect.x0, rect.y0, 0.0), vec3(rect.x1, rect.y1, 0.0)];
            let near = corners.iter().any(|&c| (c - frame.origin).dot(frame.normal) < 0.25);
            if near {
                let (a, b) = (frame.along(corners[0]), frame.along(corners[1]));
                self.taken.push(Taken { wall, from: a.min(b), to: a.max(b), low: 0.0, high: height });
            }
        }
    }

    fn place_free(&mut self, piece: &Piece, random: &mut Random) -> bool {
        let floor = self.room.floor.grown(-0.25);
        for attempt in 0..240 {
            let turned = random.chance(0.5);
            let (width, depth) =
                if turned { (piece.size.1, piece.size.0) } else { (piece.size.0, piece.size.1) };
            if floor.width() <= width || floor.depth() <= depth {
                continue;
            }
            let x0 = random.range(floor.x0, floor.x1 - width);
            let y0 = random.range(floor.y0, floor.y1 - depth);
            let rect = Rect { x0, y0, x1: x0 + width, y1: y0 + depth };
            let viewpoint = if attempt < 60 {
                self.viewpoint
            } else {
                let inner = self.room.floor.grown(-1.0);
                vec3(random.range(inner.x0, inner.x1), random.range(inner.y0, inner.y1), 0.0)
            };
            let all = self.footprints.iter().chain(std::iter::once(&rect));
            let fits = self.footprints.iter().all(|other| !other.grown(0.3).overlaps(&rect))
                && all.into_iter().all(|r| self.leaves_ways(r, viewpoint));
            if !fits {
                continue;
            }
            self.viewpoint = viewpoint;
            let wall = self.room.walls()[if turned { 1 } else { 2 }];
            let corner = if turned { vec3(rect.x1, rect.y1, 0.0) } else { vec3(rect.x0, rect.y1, 0.0) };
            let (along, out) = (wall.along(corner), (corner - wall.origin).dot(wall.normal));
            self.placed.push(Placed { piece: *piece, wall, along, out });
            self.footprints.push(rect);
            self.block_walls(&rect, piece.size.2);
            return true;
        }
        false
    }
}
