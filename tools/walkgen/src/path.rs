//! The path of the camera: from room to room, looking around in each, with the shake of a hand.

use std::f32::consts::{PI, TAU};

use crate::{house::furnish::Furnished, house::plan::Plan, math::Vec3, random::Random, walker::EYE_HEIGHT_M};

/// Poses per second in the table.
const POSES_PER_SECOND: f32 = 120.0;

/// Position and orientation of the camera. Angles are in radians.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Pose {
    /// Position in the world.
    pub(crate) place: Vec3,
    /// Horizontal direction, counter-clockwise from east.
    pub(crate) yaw: f32,
    /// Vertical direction, upwards.
    pub(crate) pitch: f32,
    /// Clockwise tilt.
    pub(crate) roll: f32,
}

/// A planned visit to a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Visit {
    /// Looks at everything.
    Full(usize),
    /// Passes through.
    Pass(usize),
    /// Looks at a part of it again.
    Again(usize),
}

impl Visit {
    fn room(self) -> usize {
        match self {
            Self::Full(room) | Self::Pass(room) | Self::Again(room) => room,
        }
    }
}

/// A movement, before the times are fitted to the length of the walk.
#[derive(Debug, Clone, Copy)]
struct Step {
    seconds: f32,
    place: Vec3,
    yaw: f32,
    pitch: f32,
    /// Whether the movement keeps its speed, however long the walk is.
    fast: bool,
}

/// The pose of the camera at every moment of the walk.
#[derive(Debug, Clone)]
pub(crate) struct CameraPath {
    poses: Vec<Pose>,
    shake: [(f32, f32); 12],
    /// Length in seconds.
    pub(crate) seconds: f32,
}

impl CameraPath {
    /// Plans a path of `seconds` through all rooms.
    pub(crate) fn plan(plan: &Plan, rooms: &[Furnished], seed: u64, seconds: f32) -> Self {
        let mut random = Random::new(seed, 6);
        let mut planner = Planner {
            plan,
            rooms,
            steps: Vec::new(),
            place: rooms[0].viewpoint,
            yaw: random.range(0.0, TAU),
            pitch: 0.0,
        };
        planner.dwell(0.4);
        // A walk that is long for the size of the house takes further laps.
        let mut laps = 0;
        while laps == 0 || planner.natural_seconds() < seconds * 0.72 {
            planner.lap(&mut random, laps);
            laps += 1;
        }
        let steps = fit(planner.steps, seconds);
        let shake = std::array::from_fn(|_| (random.range(0.0, TAU), random.range(0.75, 1.25)));
        Self { poses: smoothed(&steps, seconds), shake, seconds }
    }

    /// Returns the pose at `t` seconds.
    pub(crate) fn at(&self, t: f32) -> Pose {
        let x = (t * POSES_PER_SECOND).clamp(0.0, (self.poses.len() - 1) as f32);
        let i = (x as usize).min(self.poses.len().saturating_sub(2));
        let f = x - i as f32;
        let (a, b) = (self.poses[i], self.poses[(i + 1).min(self.poses.len() - 1)]);
        let mix = |a: f32, b: f32| a + (b - a) * f;
        let mut pose = Pose {
            place: a.place.towards(b.place, f),
            yaw: mix(a.yaw, b.yaw),
            pitch: mix(a.pitch, b.pitch),
            roll: 0.0,
        };
        let speed = (b.place - a.place).length() * POSES_PER_SECOND;
        let wave = |i: usize, hertz: f32| {
            let (phase, k) = self.shake[i];
            (t * TAU * hertz * k + phase).sin()
        };
        let step = 0.3 + speed.min(1.2);
        pose.place.z = EYE_HEIGHT_M + 0.012 * step * wave(0, 1.7);
        pose.place.x += 0.008 * step * wave(1, 0.9);
        pose.place.y += 0.008 * step * wave(2, 0.8);
        pose.yaw += 0.0040 * wave(3, 0.6) + 0.0016 * wave(4, 2.3) + 0.0005 * wave(5, 5.6);
        pose.pitch += 0.0042 * wave(6, 0.5) + 0.0018 * wave(7, 1.9) + 0.0005 * wave(8, 6.1);
        pose.roll = 0.006 * wave(9, 0.4) + 0.0022 * wave(10, 1.6);
        pose
    }
}

struct Planner<'a> {
    plan: &'a Plan,
    rooms: &'a [Furnished],
    steps: Vec<Step>,
    place: Vec3,
    yaw: f32,
    pitch: f32,
}

impl Planner<'_> {
    fn natural_seconds(&self) -> f32 {
        self.steps.iter().map(|s| s.seconds).sum()
    }

    fn lap(&mut self, random: &mut Random, number: usize) {
        let visits = self.visits(number);
        // The fast pan follows a full visit in the middle of the lap.
        let full: Vec<usize> = (0..visits.len()).filter(|&i| matches!(visits[i], Visit::Full(_))).collect();
        let fast_at = full[full.len() / 2];
        for (i, visit) in visits.iter().enumerate() {
            if i > 0 || number > 0 {
                self.enter(visit.room(), i.checked_sub(1).map(|j| visits[j].room()));
            }
            let next = visits.get(i + 1).and_then(|next| self.doorway(visit.room(), next.room()));
            let turn = if random.chance(0.5) { 1.0 } else { -1.0 };
            match visit {
                Visit::Full(room) => self.look_around(*room, turn, 5.6),
                Visit::Again(room) => self.look_around(*room, turn, 3.0),
                Visit::Pass(_) => self.dwell(0.2),
            }
            if i == fast_at && number == 0 {
                let to = self.yaw + turn * 2.9;
                self.push(0.62, self.place, to, 0.0, true);
                self.dwell(0.7);
            }
            if let Some(door) = next {
                self.face(door, 1.2);
            }
        }
    }

    /// Plans the visits of a lap over the tree of rooms: a full visit to every room, passes on the
    /// way back, and an earlier room again at the end.
    fn visits(&self, lap: usize) -> Vec<Visit> {
        let mut visits = Vec::new();
        let mut seen = vec![false; self.plan.rooms.len()];
        self.descend(0, lap, &mut seen, &mut visits);
        while matches!(visits.last(), Some(Visit::Pass(_))) {
            visits.pop();
        }
        let last = visits.last().map_or(0, |v| v.room());
        let way = self.way(last, 0);
        let stop = way.len().min(3);
        for (i, &room) in way.iter().enumerate().take(stop).skip(1) {
            visits.push(if i + 1 == stop { Visit::Again(room) } else { Visit::Pass(room) });
        }
        if lap > 0 {
            // Returns to the first room, because the previous lap may have ended in another.
            let here = self.room_of(self.place);
            let back = self.way(here, 0);
            let passes = back.iter().skip(1).take(back.len().saturating_sub(2));
            visits.splice(0..0, passes.map(|&room| Visit::Pass(room)));
        }
        visits
    }

    fn descend(&self, room: usize, lap: usize, seen: &mut [bool], visits: &mut Vec<Visit>) {
        seen[room] = true;
        visits.push(Visit::Full(room));
        let mut next: Vec<usize> =
            self.plan.doors.iter().filter(|d| d.rooms.contains(&room)).map(|d| d.other(room)).collect();
        if lap % 2 == 1 {
            next.reverse();
        }
        for other in next {
            if !seen[other] {
                self.descend(other, lap, seen, visits);
                visits.push(Visit::Pass(room));
            }
        }
    }

    /// Returns the rooms from `from` to `to`, including both. The plan is a tree, so there is one
    /// way.
    fn way(&self, from: usize, to: usize) -> Vec<usize> {
        fn search(plan: &Plan, here: usize, to: usize, before: Option<usize>) -> Option<Vec<usize>> {
            if here == to {
                return Some(vec![here]);
            }
            let doors = plan.doors.iter().filter(|d| d.rooms.contains(&here));
            let mut others = doors.map(|d| d.other(here)).filter(|&o| Some(o) != before);
            let mut rest = others.find_map(|other| search(plan, other, to, Some(here)))?;
            rest.insert(0, here);
            Some(rest)
        }
        search(self.plan, from, to, None).unwrap_or_default()
    }

    fn room_of(&self, place: Vec3) -> usize {
        self.plan.room_at(place)
    }

    /// Returns the position in front of the doorway from `room` to `next`.
    fn doorway(&self, room: usize, next: usize) -> Option<Vec3> {
        let door = self.plan.doors.iter().find(|d| d.rooms.contains(&room) && d.rooms.contains(&next))?;
        let inward = if door.rooms[0] == room { -door.through } else { door.through };
        Some(door.centre + inward * 0.5)
    }

    fn enter(&mut self, room: usize, before: Option<usize>) {
        let before = before.unwrap_or_else(|| self.room_of(self.place));
        if before != room
            && let (Some(near), Some(far)) = (self.doorway(before, room), self.doorway(room, before))
        {
            self.walk(near);
            self.walk(far);
        }
        self.walk(self.rooms[room].viewpoint);
    }

    fn push(&mut self, seconds: f32, place: Vec3, yaw: f32, pitch: f32, fast: bool) {
        self.steps.push(Step { seconds, place, yaw, pitch, fast });
        (self.place, self.yaw, self.pitch) = (place, yaw, pitch);
    }

    fn dwell(&mut self, seconds: f32) {
        self.push(seconds, self.place, self.yaw, self.pitch, false);
    }

    fn bearing(&self, to: Vec3) -> f32 {
        let way = to - self.place;
        let target = way.y.atan2(way.x);
        self.yaw + (target - self.yaw + PI).rem_euclid(TAU) - PI
    }

    fn face(&mut self, to: Vec3, rate: f32) {
        let yaw = self.bearing(to);
        self.push(((yaw - self.yaw).abs() / rate).max(0.05), self.place, yaw, -0.10, false);
    }

    fn walk(&mut self, to: Vec3) {
        let length = (to - self.place).length();
        if length < 0.05 {
            return;
        }
        self.face(to, 1.35);
        self.push(length / 0.95, to, self.yaw, -0.10, false);
    }

    /// Turns on the spot over `sweep` radians and pauses at signs and pictures.
    fn look_around(&mut self, room: usize, turn: f32, sweep: f32) {
        let start = self.yaw;
        let mut stops: Vec<(f32, f32, f32)> = Vec::new();
        for view in &self.rooms[room].views {
            let way = view.centre - self.place;
            let angle = (turn * (way.y.atan2(way.x) - start)).rem_euclid(TAU);
            let flat = way.x.hypot(way.y);
            // Aims below the object, so that the furniture under it is visible too.
            let pitch = ((view.centre.z - EYE_HEIGHT_M) / flat).atan() * 0.6 - 0.13;
            if angle < sweep {
                stops.push((angle, pitch, if view.sign { 0.75 } else { 0.15 }));
            }
        }
        let mut at = 1.1;
        while at <= sweep {
            stops.push((at, if (at as i32) % 2 == 0 { -0.30 } else { -0.20 }, 0.05));
            at += 1.1;
        }
        stops.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut last = 0.0;
        for (angle, pitch, dwell) in stops {
            self.push(((angle - last) / 0.85).max(0.08), self.place, start + turn * angle, pitch, false);
            self.dwell(dwell);
            last = angle;
        }
    }
}

/// Stretches the steps to `seconds`, except the fast ones.
fn fit(steps: Vec<Step>, seconds: f32) -> Vec<Step> {
    let total = |fast: bool| steps.iter().filter(|s| s.fast == fast).map(|s| s.seconds).sum::<f32>();
    let factor = (seconds - total(true)).max(1.0) / total(false).max(0.1);
    let stretch = |s: Step| if s.fast { s } else { Step { seconds: s.seconds * factor, ..s } };
    steps.into_iter().map(stretch).collect()
}

/// Converts the steps to a table of poses, smoothed over time with a Gaussian.
fn smoothed(steps: &[Step], seconds: f32) -> Vec<Pose> {
    let count = (seconds * POSES_PER_SECOND).ceil() as usize + 2;
    let mut raw = Vec::with_capacity(count);
    let (mut step, mut begun) = (0, 0.0);
    let mut from = steps[0];
    for i in 0..count {
        let t = i as f32 / POSES_PER_SECOND;
        while step + 1 < steps.len() && t > begun + steps[step].seconds {
            begun += steps[step].seconds;
            from = steps[step];
            step += 1;
        }
        let to = steps[step];
        let share = ((t - begun) / to.seconds.max(1e-3)).clamp(0.0, 1.0);
        let mix = |a: f32, b: f32| a + (b - a) * share;
        raw.push(Pose {
            place: from.place.towards(to.place, share),
            yaw: mix(from.yaw, to.yaw),
            pitch: mix(from.pitch, to.pitch),
            roll: 0.0,
        });
    }
    let sigma = 0.20 * POSES_PER_SECOND;
    let reach = (sigma * 3.0) as isize;
    let weights: Vec<f32> = (-reach..=reach).map(|i| (-0.5 * (i as f32 / sigma).powi(2)).exp()).collect();
    let sum: f32 = weights.iter().sum();
    let last = raw.len() as isize - 1;
    (0..raw.len() as isize)
        .map(|i| {
            let mut pose = Pose::default();
            for (k, weight) in (-reach..=reach).zip(&weights) {
                let p = raw[(i + k).clamp(0, last) as usize];
                let w = weight / sum;
                pose.place = pose.place + p.place * w;
                pose.yaw += p.yaw * w;
                pose.pitch += p.pitch * w;
            }
            pose
        })
        .collect()
}
