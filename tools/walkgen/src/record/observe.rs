//! Observes one frame: the objects and lines of text in it, their positions, and which lines are
//! readable.

use crate::{
    render::camera::Camera,
    render::frames::{Painter, Picture, World},
    scene::{Line, Object},
    truth::{MIN_READABLE_PX, Sample, VisibleObject, VisibleText},
};

/// Minimum difference of luma between readable letters and their background.
const MIN_CONTRAST: u8 = 45;

/// Observes the frame at `t` seconds, which was painted as `picture`.
pub(crate) fn observe(world: &World, painter: &mut Painter<'_>, picture: &Picture, t: f32) -> Sample {
    let camera = painter.mark_objects(t);
    let pixels = &painter.raster.objects;
    let (width, height) = world.size;
    let boxes = boxes(pixels, width, world.scene.objects.len());
    let spaces = world.plan.spaces();
    let mut by_room = vec![0_u32; world.plan.rooms.len()];
    let mut objects = Vec::new();
    for (id, found) in boxes.iter().enumerate().skip(1) {
        if found.pixels == 0 {
            continue;
        }
        let object = &world.scene.objects[id];
        by_room[spaces[object.room]] += found.pixels;
        if object.category == "shell" || found.pixels < 12 {
            continue;
        }
        let full_area = outline_area(object, &camera).unwrap_or(f32::INFINITY);
        objects.push(VisibleObject {
            id: id as u16,
            pixels: found.pixels,
            bbox: [found.x0, found.y0, found.x1 - found.x0 + 1, found.y1 - found.y0 + 1],
            share: (found.pixels as f32 / full_area.max(1.0)).min(1.0),
        });
    }
    let view_room = (0..by_room.len()).max_by_key(|&room| by_room[room]).unwrap_or(0);
    let (blur, pose) = (world.blur(t), world.pose(t));
    let luma = &picture.planes[..width * height];
    let mean = luma.iter().map(|&y| u64::from(y)).sum::<u64>() as f32 / luma.len() as f32;
    let mut texts = Vec::new();
    for (number, (id, line)) in lines(world).enumerate() {
        if boxes[usize::from(id)].pixels > 0 {
            texts.extend(observe_line(world, &camera, pixels, luma, blur, number, id, line));
        }
    }
    Sample {
        t_ms: (t * 1000.0).round() as u64,
        ordinal: None,
        room: spaces[world.plan.room_at(camera.place)],
        view_room,
        view_share: by_room[view_room] as f32 / pixels.len() as f32,
        place: [camera.place.x, camera.place.y, camera.place.z],
        yaw_degrees: pose.yaw.to_degrees().rem_euclid(360.0),
        pitch_degrees: pose.pitch.to_degrees(),
        blur_px: blur,
        luma: ((mean - 16.0) * 255.0 / 219.0).max(0.0),
        objects,
        texts,
    }
}

/// Returns every line of text with its object, in the order of the lines' numbers.
pub(crate) fn lines(world: &World) -> impl Iterator<Item = (u16, &Line)> {
    let objects = world.scene.objects.iter().enumerate();
    objects.flat_map(|(id, object)| object.lines.iter().map(move |line| (id as u16, line)))
}

#[derive(Clone, Copy)]
struct PixelBox {
    pixels: u32,
    x0: u32,
    y0: u32,
    x1: u32,
    y1: u32,
}

fn boxes(pixels: &[u16], width: usize, count: usize) -> Vec<PixelBox> {
    let mut boxes = vec![PixelBox { pixels: 0, x0: u32::MAX, y0: u32::MAX, x1: 0, y1: 0 }; count];
    for (y, row) in pixels.chunks_exact(width).enumerate() {
        for (x, &id) in row.iter().enumerate() {
            let found = &mut boxes[usize::from(id)];
            found.pixels += 1;
            found.x0 = found.x0.min(x as u32);
            found.x1 = found.x1.max(x as u32);
            found.y0 = found.y0.min(y as u32);
            found.y1 = found.y1.max(y as u32);
        }
    }
    boxes
}

/// Returns the area of an object's convex hull in pixels, or `None` if the object reaches behind
/// the camera.
fn outline_area(object: &Object, camera: &Camera) -> Option<f32> {
    let mut points = object.outline.iter().map(|&p| camera.see(p)).collect::<Option<Vec<_>>>()?;
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    // Andrew's monotone chain.
    let mut hull: Vec<(f32, f32)> = Vec::new();
    for pass in 0..2 {
        let floor = hull.len() + 1;
        let walk: &mut dyn Iterator<Item = &(f32, f32)> =
            if pass == 0 { &mut points.iter() } else { &mut points.iter().rev() };
        for &p in walk {
            while hull.len() > floor && turn(hull[hull.len() - 2], hull[hull.len() - 1], p) <= 0.0 {
                hull.pop();
            }
            hull.push(p);
        }
        hull.pop();
    }
    let next = hull.iter().cycle().skip(1);
    let twice: f32 = hull.iter().zip(next).map(|(a, b)| a.0 * b.1 - a.1 * b.0).sum();
    Some(twice.abs() / 2.0)
}

fn turn(a: (f32, f32), b: (f32, f32), c: (f32, f32)) -> f32 {
    (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
}

#[expect(clippy::too_many_arguments, reason = "all of them describe one frame")]
fn observe_line(
    world: &World,
    camera: &Camera,
    pixels: &[u16],
    luma: &[u8],
    blur: f32,
    number: usize,
    object: u16,
    line: &Line,
) -> Option<VisibleText> {
    let (width, height) = world.size;
    let [a, b, c, d] = line.corners;
    let quad = [camera.see(a)?, camera.see(b)?, camera.see(c)?, camera.see(d)?];
    let distance = |p: (f32, f32), q: (f32, f32)| (p.0 - q.0).hypot(p.1 - q.1);
    let line_height = (distance(quad[0], quad[3]) + distance(quad[1], quad[2])) / 2.0;
    let line_length = (distance(quad[0], quad[1]) + distance(quad[3], quad[2])) / 2.0;
    let (mut inside, mut clear, mut all) = (0, 0, 0);
    let (mut low, mut high) = (255, 0);
    for j in 0..5 {
        for i in 0..48 {
            let (u, v) = ((i as f32 + 0.5) / 48.0, (j as f32 + 0.5) / 5.0);
            let place = a.towards(b, u) + (d - a) * v;
            let (x, y) = camera.see(place)?;
            all += 1;
            if x < 1.0 || y < 1.0 || x >= width as f32 - 1.0 || y >= height as f32 - 1.0 {
                continue;
            }
            inside += 1;
            let at = y as usize * width + x as usize;
            if pixels[at] == object {
                clear += 1;
                (low, high) = (luma[at].min(low), luma[at].max(high));
            }
        }
    }
    if inside * 2 < all {
        return None;
    }
    let x = quad.map(|p| p.0);
    let y = quad.map(|p| p.1);
    let min = |v: [f32; 4]| v.into_iter().fold(f32::MAX, f32::min);
    let max = |v: [f32; 4]| v.into_iter().fold(f32::MIN, f32::max);
    let contrast = high.saturating_sub(low);
    // Length of the line if it were seen straight on; the ratio is its foreshortening.
    let straight = line_height * (b - a).length() / (d - a).length();
    let unobstructed = inside == all && clear as f32 >= 0.95 * all as f32;
    let sharp = blur <= line_height / 8.0;
    Some(VisibleText {
        id: number,
        height_px: line_height,
        bbox: [min(x), min(y), max(x) - min(x), max(y) - min(y)],
        clear: clear as f32 / all as f32,
        contrast,
        readable: unobstructed
            && sharp
            && line_height >= MIN_READABLE_PX
            && contrast >= MIN_CONTRAST
            && line_length >= 0.5 * straight,
    })
}
