//! Puts furniture, signs and pictures into the rooms, where the camera can see them.

use crate::{
    house::builder::{Builder, Material},
    house::layout::{self, Placed, Taken},
    house::pictures,
    house::plan::{Kind, Plan, Room},
    house::signs::{Lettering, Sign},
    house::style::Style,
    math::Vec3,
    random::Random,
    scene::{Line, Scene},
    walker::EYE_HEIGHT_M,
};

/// An object on a wall that the camera looks at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    /// Centre of the object.
    pub(crate) centre: Vec3,
    /// Whether it is a sign.
    pub(crate) sign: bool,
}

/// Contents of a furnished room.
#[derive(Debug, Clone, Default)]
pub(crate) struct Furnished {
    /// Position from which the camera looks around.
    pub(crate) viewpoint: Vec3,
    /// Objects that the camera looks at.
    pub(crate) views: Vec<View>,
    /// Furniture with counts, large pieces first.
    pub(crate) inventory: Vec<(&'static str, usize)>,
}

/// Furnishes every room.
pub(crate) fn furnish(
    plan: &Plan,
    styles: &[Style],
    signs: &[Vec<Sign>],
    lettering: &Lettering,
    scene: &mut Scene,
    seed: u64,
) -> Vec<Furnished> {
    let each = plan.rooms.iter().enumerate();
    each.map(|(index, room)| {
        let mut random = Random::new(seed, 100 + index as u64);
        let layout = layout::arrange(plan, index, room, &mut random);
        let furnished = Furnished { viewpoint: layout.viewpoint, ..Furnished::default() };
        let style = &styles[index];
        let mut furnisher =
            RoomFurnisher { index, room, style, scene: &mut *scene, random, taken: layout.taken, furnished };
        furnisher.build_furniture(&layout.placed);
        furnisher.place_signs(&signs[index], lettering);
        furnisher.place_pictures();
        furnisher.furnished
    })
    .collect()
}

/// Furnishes one room.
struct RoomFurnisher<'a> {
    index: usize,
    room: &'a Room,
    style: &'a Style,
    scene: &'a mut Scene,
    random: Random,
    taken: Vec<Taken>,
    furnished: Furnished,
}

impl RoomFurnisher<'_> {
    fn build_furniture(&mut self, placed: &[Placed]) {
        for Placed { piece, wall, along, out } in placed {
            let mut builder = Builder::at_wall(self.scene, self.index, piece.category, wall, *along, *out);
            (piece.build)(&mut builder, self.style, &mut self.random);
            for (name, count) in [(piece.category, 1)].into_iter().chain(piece.with) {
                match self.furnished.inventory.iter_mut().find(|(other, _)| *other == name) {
                    Some((_, known)) => *known += count,
                    None => self.furnished.inventory.push((name, count)),
                }
            }
        }
        if matches!(self.room.kind, Kind::Living | Kind::Bedroom | Kind::Hall) {
            self.lay_rug();
        }
    }

    fn lay_rug(&mut self) {
        let centre = self.furnished.viewpoint;
        let f = self.room.floor;
        let reach = (centre.x - f.x0).min(f.x1 - centre.x).min(centre.y - f.y0).min(f.y1 - centre.y) - 0.3;
        let (width, depth) = ((reach * 2.0).min(2.2), (reach * 2.0).min(1.4));
        if reach < 0.4 {
            return;
        }
        let wall = self.room.walls()[2];
        let along = wall.along(centre) - width / 2.0;
        let out = (centre - wall.origin).dot(wall.normal) - depth / 2.0;
        let picture = pictures::rug(&mut self.random, width, depth);
        let material = Material::of(self.scene.add_texture(picture));
        let mut rug = Builder::at_wall(self.scene, self.index, "rug", &wall, along, out);
        rug.plate((0.0, 0.0, 0.008), width, depth, material);
        self.furnished.inventory.push(("rug", 1));
    }

    /// Finds a free place on a wall that the camera sees well. `min_slope` is the minimum cosine of
    /// the angle between the line of sight and the wall's normal.
    fn hang(&mut self, size: (f32, f32), heights: (f32, f32), min_slope: f32) -> Option<(usize, f32, f32)> {
        let eye = self.furnished.viewpoint + Vec3::UP * EYE_HEIGHT_M;
        let mut best: Option<(f32, (usize, f32, f32))> = None;
        for _ in 0..120 {
            let wall = self.random.below(4);
            let frame = self.room.walls()[wall];
            if frame.length < size.0 + 0.2 {
                continue;
            }
            let along = self.random.range(0.1, frame.length - size.0 - 0.1);
            let low = self.random.range(heights.0, heights.1) - size.1 / 2.0;
            let free = self.taken.iter().all(|t| {
                let beside = t.to + 0.08 < along || t.from - 0.08 > along + size.0;
                t.wall != wall || beside || t.high + 0.06 < low || t.low - 0.06 > low + size.1
            });
            if !free {
                continue;
            }
            let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.5, 0.5)]
                .map(|(x, z)| frame.point(along + x * size.0, 0.03, low + z * size.1));
            let way = eye - corners[4];
            let slope = way.unit().dot(frame.normal);
            let blocks = &self.scene.rooms[self.index].blocks;
            let hidden = corners.iter().any(|&c| blocks.iter().any(|b| b.stops(eye, c)));
            if slope < min_slope || hidden || way.length() < 1.1 {
                continue;
            }
            let score = slope - 0.08 * way.length();
            if best.is_none_or(|(other, _)| score > other) {
                best = Some((score, (wall, along, low)));
            }
        }
        best.map(|(_, place)| place)
    }

    fn place_signs(&mut self, signs: &[Sign], lettering: &Lettering) {
        for sign in signs {
            let drawn = lettering.draw(sign);
            let (width, height) = drawn.size;
            let Some((wall, along, low)) = self.hang((width, height), (1.45, 1.75), 0.62) else { continue };
            let frame = self.room.walls()[wall];
            let material = Material::of(self.scene.add_texture(drawn.texture));
            let mut builder = Builder::at_wall(self.scene, self.index, "sign", &frame, along, 0.0);
            builder.block((0.0, 0.0, low), (width, 0.012, low + height), self.style.common.white);
            builder.panel(0.0, 0.0135, low + height, width, height, material);
            let corner = |x: f32, y: f32| builder.place((x, 0.0135, low + height - y));
            let lines: Vec<Line> = sign
                .lines
                .iter()
                .zip(&drawn.boxes)
                .map(|((text, _), [x, y, w, h])| Line {
                    text: text.clone(),
                    corners: [corner(*x, *y), corner(x + w, *y), corner(x + w, y + h), corner(*x, y + h)],
                })
                .collect();
            let centre = corner(width / 2.0, height / 2.0);
            let object = usize::from(builder.object());
            self.scene.objects[object].lines = lines;
            self.furnished.views.push(View { centre, sign: true });
            self.taken.push(Taken { wall, from: along, to: along + width, low, high: low + height });
        }
    }

    fn place_pictures(&mut self) {
        let wanted = if matches!(self.room.kind, Kind::Bathroom | Kind::Storage) { 1 } else { 3 };
        for number in 0..wanted {
            let clock = number == wanted - 1 && wanted > 1;
            let size = if clock {
                (0.32, 0.32)
            } else {
                (self.random.range(0.5, 0.9), self.random.range(0.45, 0.7))
            };
            let Some((wall, along, low)) = self.hang(size, (1.5, 1.75), 0.35) else { continue };
            let frame = self.room.walls()[wall];
            let (name, picture) = if clock {
                ("clock", pictures::clock(&mut self.random))
            } else {
                ("picture", pictures::painting(&mut self.random, size.0, size.1))
            };
            let material = Material::of(self.scene.add_texture(picture));
            let mut builder = Builder::at_wall(self.scene, self.index, name, &frame, along, 0.0);
            if !clock {
                builder.block((0.0, 0.0, low), (size.0, 0.02, low + size.1), self.style.wood);
            }
            builder.panel(0.0, 0.022, low + size.1, size.0, size.1, material);
            let centre = builder.place((size.0 / 2.0, 0.02, low + size.1 / 2.0));
            self.furnished.views.push(View { centre, sign: false });
            self.taken.push(Taken { wall, from: along, to: along + size.0, low, high: low + size.1 });
        }
    }
}
