//! The floor plan: rooms that share walls, doorways between them, and windows.

use crate::{
    math::{Rect, Vec3, vec3},
    random::Random,
};

/// Thickness of every wall, in metres.
pub(crate) const WALL_THICKNESS_M: f32 = 0.16;
/// Width of a doorway, in metres.
const DOOR_WIDTH_M: f32 = 1.0;
/// Width of the wall that remains on each side of an open plan's opening, in metres.
const OPEN_PLAN_STUB_M: f32 = 0.12;
/// Minimum width of the opening in an open plan, in metres.
const MIN_OPENING_WIDTH_M: f32 = 2.6;
/// Height of every room, in metres.
const ROOM_HEIGHT_M: f32 = 2.6;
/// Height of every doorway, in metres.
pub(crate) const DOOR_HEIGHT_M: f32 = 2.1;

/// Type of a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Hallway, where the walk starts.
    Hall,
    /// Living room.
    Living,
    /// Kitchen.
    Kitchen,
    /// Bedroom.
    Bedroom,
    /// Bathroom.
    Bathroom,
    /// Office.
    Office,
    /// Dining room.
    Dining,
    /// Storage room.
    Storage,
}

impl Kind {
    /// Name of the type in the ground truth and in documents.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Hall => "hallway",
            Self::Living => "living room",
            Self::Kitchen => "kitchen",
            Self::Bedroom => "bedroom",
            Self::Bathroom => "bathroom",
            Self::Office => "office",
            Self::Dining => "dining room",
            Self::Storage => "storage room",
        }
    }

    /// Range of the shorter side and range of the longer side, in metres.
    fn sides(self) -> [(f32, f32); 2] {
        match self {
            Self::Hall => [(2.6, 3.0), (4.2, 5.2)],
            Self::Living => [(4.4, 5.0), (4.8, 5.6)],
            Self::Kitchen => [(3.6, 4.0), (3.8, 4.6)],
            Self::Bedroom => [(3.8, 4.2), (4.0, 4.6)],
            Self::Bathroom => [(2.8, 3.2), (2.8, 3.4)],
            Self::Office => [(3.4, 3.9), (3.6, 4.4)],
            Self::Dining => [(3.8, 4.3), (4.2, 5.0)],
            Self::Storage => [(2.7, 3.2), (3.0, 3.8)],
        }
    }
}

/// One wall of a room, seen from inside.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wall {
    /// Left end of the wall, on the floor.
    pub(crate) origin: Vec3,
    /// Unit vector to the right.
    pub(crate) right: Vec3,
    /// Unit vector into the room.
    pub(crate) normal: Vec3,
    /// Length in metres.
    pub(crate) length: f32,
}

impl Wall {
    /// Returns the point `along` metres from the left end, `out` metres into the room and `up`
    /// metres high.
    pub(crate) fn point(&self, along: f32, out: f32, up: f32) -> Vec3 {
        self.origin + self.right * along + self.normal * out + Vec3::UP * up
    }

    /// Returns the position of a point along the wall.
    pub(crate) fn along(&self, p: Vec3) -> f32 {
        (p - self.origin).dot(self.right)
    }
}

/// A doorway or window in a wall.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opening {
    /// Index of the wall, 0 to 3: south, east, north, west.
    pub(crate) wall: usize,
    /// Left edge along the wall.
    pub(crate) from: f32,
    /// Right edge along the wall.
    pub(crate) to: f32,
    /// Lower edge.
    pub(crate) low: f32,
    /// Upper edge.
    pub(crate) high: f32,
    /// The doorway, or `None` for a window.
    pub(crate) door: Option<usize>,
}

/// A room.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    /// Type of the room.
    pub(crate) kind: Kind,
    /// Name of the room, for example `Room 206`.
    pub(crate) name: String,
    /// Area of the floor.
    pub(crate) floor: Rect,
    /// Height of the ceiling.
    pub(crate) height: f32,
    /// Its doorways and windows.
    pub(crate) openings: Vec<Opening>,
    /// Earlier room that this one resembles on purpose.
    pub(crate) alike: Option<usize>,
    /// Earlier room that this one forms an open plan with.
    pub(crate) joins: Option<usize>,
}

impl Room {
    /// Returns the walls: south, east, north, west.
    pub(crate) fn walls(&self) -> [Wall; 4] {
        let f = &self.floor;
        let wall = |x: f32, y: f32, n: Vec3, length| Wall {
            origin: vec3(x, y, 0.0),
            right: vec3(-n.y, n.x, 0.0),
            normal: n,
            length,
        };
        [
            wall(f.x1, f.y0, vec3(0.0, 1.0, 0.0), f.width()),
            wall(f.x1, f.y1, vec3(-1.0, 0.0, 0.0), f.depth()),
            wall(f.x0, f.y1, vec3(0.0, -1.0, 0.0), f.width()),
            wall(f.x0, f.y0, vec3(1.0, 0.0, 0.0), f.depth()),
        ]
    }
}

/// A doorway between two rooms, or the opening of an open plan.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Door {
    /// The rooms.
    pub(crate) rooms: [usize; 2],
    /// Middle of the doorway, on the floor.
    pub(crate) centre: Vec3,
    /// Unit vector through the doorway, from the first room to the second.
    pub(crate) through: Vec3,
    /// Width in metres.
    width: f32,
    /// Height in metres.
    height: f32,
}

impl Door {
    /// Returns the room on the other side.
    pub(crate) fn other(&self, room: usize) -> usize {
        if self.rooms[0] == room { self.rooms[1] } else { self.rooms[0] }
    }
}

/// A floor plan.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// The rooms; the walk starts in the first.
    pub(crate) rooms: Vec<Room>,
    /// The doorways: a tree over the rooms.
    pub(crate) doors: Vec<Door>,
}

impl Plan {
    /// Draws a plan of `count` rooms. With even seeds, living room and kitchen form an open plan.
    pub(crate) fn draw(seed: u64, count: usize) -> Self {
        let mut random = Random::new(seed, 1);
        let open = seed.is_multiple_of(2);
        let kinds = choose_kinds(&mut random, count, open);
        let mut cells: Vec<Rect> = Vec::new();
        let mut plan = Self { rooms: Vec::new(), doors: Vec::new() };
        let mut number = 200 + random.below(12);
        for (index, &kind) in kinds.iter().enumerate() {
            let alike = (kind == Kind::Bedroom)
                .then(|| plan.rooms.iter().position(|room: &Room| room.kind == kind))
                .flatten();
            let joins = (open && index > 0 && kind == Kind::Kitchen && kinds[index - 1] == Kind::Living)
                .then(|| index - 1);
            let cell = if index == 0 {
                let (width, depth) = size(kind, &mut random);
                Rect { x0: 0.0, y0: 0.0, x1: width, y1: depth }
            } else {
                plan.attach(&mut random, &cells, kind, joins)
            };
            cells.push(cell);
            number += 1 + random.below(3);
            let name = if kind == Kind::Bedroom { format!("Room {number}") } else { kind.name().to_owned() };
            let floor = cell.grown(-WALL_THICKNESS_M / 2.0);
            plan.rooms.push(Room {
                kind,
                name,
                floor,
                height: ROOM_HEIGHT_M,
                openings: Vec::new(),
                alike,
                joins,
            });
        }
        plan.cut_doorways();
        plan.cut_windows(&mut random, &cells);
        plan
    }

    /// Returns the room of a position; in a doorway, the nearer one.
    pub(crate) fn room_at(&self, place: Vec3) -> usize {
        let place = vec3(place.x, place.y, 0.0);
        let distance = |i: &usize| self.rooms[*i].floor.distance(place);
        (0..self.rooms.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
    }

    /// Returns the space of each room. The rooms of an open plan share one.
    pub(crate) fn spaces(&self) -> Vec<usize> {
        let mut spaces: Vec<usize> = Vec::new();
        for room in &self.rooms {
            let next = spaces.iter().max().map_or(0, |last| last + 1);
            spaces.push(room.joins.map_or(next, |other| spaces[other]));
        }
        spaces
    }

    /// Places the next room beside an earlier one, with a doorway or an opening between them.
    fn attach(&mut self, random: &mut Random, cells: &[Rect], kind: Kind, joins: Option<usize>) -> Rect {
        let index = cells.len();
        loop {
            // Mostly a chain with some branches: at dead ends the walk has to return.
            let parent = match joins {
                Some(other) => other,
                None if random.chance(0.55) => index - 1,
                None => random.below(index),
            };
            let (width, depth) = size(kind, random);
            let p = cells[parent];
            let side = random.below(4);
            let horizontal = side.is_multiple_of(2);
            let (low, high, own) = if horizontal { (p.x0, p.x1, width) } else { (p.y0, p.y1, depth) };
            let shared = if joins.is_some() { MIN_OPENING_WIDTH_M + 2.0 * OPEN_PLAN_STUB_M } else { 1.9 };
            let shift = random.range(low - own + shared, high - shared);
            let cell = match side {
                0 => Rect { x0: shift, y0: p.y0 - depth, x1: shift + width, y1: p.y0 },
                1 => Rect { x0: p.x1, y0: shift, x1: p.x1 + width, y1: shift + depth },
                2 => Rect { x0: shift, y0: p.y1, x1: shift + width, y1: p.y1 + depth },
                _ => Rect { x0: p.x0 - width, y0: shift, x1: p.x0, y1: shift + depth },
            };
            if cells.iter().any(|other| other.grown(-0.01).overlaps(&cell)) {
                continue;
            }
            let (from, to) = (shift.max(low), (shift + own).min(high));
            let margin = DOOR_WIDTH_M / 2.0 + 0.35;
            let (at, width, height) = if joins.is_some() {
                (
                    f32::midpoint(from, to),
                    to - from - 2.0 * OPEN_PLAN_STUB_M - WALL_THICKNESS_M,
                    ROOM_HEIGHT_M,
                )
            } else {
                (random.range(from + margin, to - margin), DOOR_WIDTH_M, DOOR_HEIGHT_M)
            };
            let (centre, through) = match side {
                0 => (vec3(at, p.y0, 0.0), vec3(0.0, -1.0, 0.0)),
                1 => (vec3(p.x1, at, 0.0), vec3(1.0, 0.0, 0.0)),
                2 => (vec3(at, p.y1, 0.0), vec3(0.0, 1.0, 0.0)),
                _ => (vec3(p.x0, at, 0.0), vec3(-1.0, 0.0, 0.0)),
            };
            if self.doors.iter().any(|door| (door.centre - centre).length() < 1.7) {
                continue;
            }
            self.doors.push(Door { rooms: [parent, index], centre, through, width, height });
            return cell;
        }
    }

    fn cut_doorways(&mut self) {
        for (number, door) in self.doors.iter().enumerate() {
            for room in door.rooms {
                let inward = if room == door.rooms[0] { -door.through } else { door.through };
                let walls = self.rooms[room].walls();
                let Some(wall) = walls.iter().position(|w| w.normal.dot(inward) > 0.9) else { continue };
                let at = walls[wall].along(door.centre);
                let half = door.width / 2.0;
                let opening = Opening {
                    wall,
                    from: at - half,
                    to: at + half,
                    low: 0.0,
                    high: door.height,
                    door: Some(number),
                };
                self.rooms[room].openings.push(opening);
            }
        }
    }

    fn cut_windows(&mut self, random: &mut Random, cells: &[Rect]) {
        for (index, room) in self.rooms.iter_mut().enumerate() {
            if room.kind == Kind::Storage {
                continue;
            }
            let mut walls: Vec<usize> = (0..4).collect();
            random.shuffle(&mut walls);
            let wanted = if matches!(room.kind, Kind::Living | Kind::Dining) { 2 } else { 1 };
            let mut made = 0;
            for wall in walls {
                let small = matches!(room.kind, Kind::Bathroom | Kind::Hall);
                let width = if small { 0.9 } else { random.range(1.3, 1.9) };
                let w = room.walls()[wall];
                let at =
                    random.range(0.5 + width / 2.0, (w.length - 0.5 - width / 2.0).max(0.6 + width / 2.0));
                let outside = w.point(at, -WALL_THICKNESS_M - 0.4, 0.0);
                let reach = Rect { x0: outside.x, y0: outside.y, x1: outside.x, y1: outside.y }
                    .grown(width / 2.0 + 0.2);
                let blocked =
                    cells.iter().enumerate().any(|(other, cell)| other != index && cell.overlaps(&reach))
                        || room.openings.iter().any(|o| {
                            o.wall == wall && o.from < at + width / 2.0 + 0.2 && o.to > at - width / 2.0 - 0.2
                        });
                if blocked || made == wanted {
                    continue;
                }
                let low = if small { 1.4 } else { 0.92 };
                let (from, to) = (at - width / 2.0, at + width / 2.0);
                room.openings.push(Opening { wall, from, to, low, high: 2.12, door: None });
                made += 1;
            }
        }
    }
}

fn size(kind: Kind, random: &mut Random) -> (f32, f32) {
    let [a, b] = kind.sides().map(|(low, high)| random.range(low, high));
    if random.chance(0.5) { (a, b) } else { (b, a) }
}

/// Chooses the types of the rooms: the hallway, the usual rooms of a home, then further ones.
fn choose_kinds(random: &mut Random, count: usize, open: bool) -> Vec<Kind> {
    let mut first = vec![Kind::Living, Kind::Kitchen, Kind::Bedroom, Kind::Bathroom];
    random.shuffle(&mut first);
    if open {
        // The kitchen follows the living room, and both are among the first three.
        first.retain(|kind| *kind != Kind::Kitchen);
        let living = first.iter().position(|kind| *kind == Kind::Living).map_or(0, |at| at.min(1));
        first.retain(|kind| *kind != Kind::Living);
        first.splice(living..living, [Kind::Living, Kind::Kitchen]);
    }
    let mut more = vec![Kind::Office, Kind::Dining, Kind::Bedroom, Kind::Storage];
    random.shuffle(&mut more);
    let mut kinds = vec![Kind::Hall];
    kinds.extend(first);
    kinds.extend(more);
    while kinds.len() < count {
        kinds.push(Kind::Bedroom);
    }
    kinds.truncate(count);
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_do_not_overlap_and_doors_connect_all_of_them() {
        for seed in 0..40 {
            let plan = Plan::draw(seed, 7);
            assert_eq!((plan.rooms.len(), plan.doors.len()), (7, 6));
            for (i, a) in plan.rooms.iter().enumerate() {
                assert!(plan.rooms[..i].iter().all(|b| !a.floor.overlaps(&b.floor)), "seed {seed}");
                for o in &a.openings {
                    assert!(o.from > 0.05 && o.to < a.walls()[o.wall].length - 0.05, "seed {seed}: {o:?}");
                }
            }
            for (number, door) in plan.doors.iter().enumerate() {
                for room in door.rooms {
                    assert!(plan.rooms[room].openings.iter().any(|o| o.door == Some(number)));
                    assert!(plan.rooms[room].floor.distance(door.centre) < WALL_THICKNESS_M);
                }
            }
        }
    }

    #[test]
    fn even_seeds_have_an_open_plan_of_living_room_and_kitchen() {
        for seed in 0..40 {
            let plan = Plan::draw(seed, 4);
            let joined: Vec<usize> = (0..4).filter(|room| plan.rooms[*room].joins.is_some()).collect();
            assert_eq!(joined.len(), usize::from(seed % 2 == 0), "seed {seed}");
            let spaces = plan.spaces();
            assert_eq!(spaces.iter().max(), Some(&(3 - joined.len())), "seed {seed}");
            for room in joined {
                assert_eq!(spaces[room], spaces[room - 1]);
                let open = plan.doors.iter().find(|door| door.rooms == [room - 1, room]).unwrap();
                assert!(
                    open.width >= MIN_OPENING_WIDTH_M - WALL_THICKNESS_M && open.height > DOOR_HEIGHT_M,
                    "seed {seed}"
                );
            }
        }
    }
}
