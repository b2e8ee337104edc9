import java.util.ArrayList;
import java.util.List;

/**
 * A place described by rooms that touch: walls follow from the rooms, pieces stand along walls, and a camera is led from
 * door to door. Lengths in cm, angles in degrees, as in the generator's `Walk`, which renders it and writes the truth.
 */
class Place extends Walk {
  private static final int OUTSIDE = 0xC9B8A0;
  private static final double INNER = 5, OUTER = 10;

  private static class Door { String a, b; double x, y; boolean horizontal; }

  final List<double[]> spots = new ArrayList<>();
  private final List<Door> doors = new ArrayList<>();
  private final List<Object> colours = new ArrayList<>();
  private int count;
  /** Height of the camera, cm. */
  double eye = EYE;
  private double t, x, y, yaw;

  @Override double[] cam(double at) {
    double[] c = super.cam(at);
    c[2] += eye - EYE;
    return c;
  }

  // ---------------------------------------------------------------- rooms, walls, doors
  void area(String id, String label, double x0, double y0, double x1, double y1, String floor, Object wall) {
    room(id, label, (float) x0, (float) y0, (float) x1, (float) y1, floor, 0xF6F6F2);
    colours.add(wall);
  }
  RoomDef r(String id) {
    for (RoomDef d : rooms) if (d.id.equals(id)) return d;
    throw new IllegalArgumentException("no such room: " + id);
  }
  private RoomDef over(double px, double py) {
    for (RoomDef d : rooms) if (d.has(px, py)) return d;
    return null;
  }
  private Object colour(RoomDef d) { return d == null ? (Object) OUTSIDE : colours.get(rooms.indexOf(d)); }

  /** Builds every wall once, after all rooms are known. */
  void walls() {
    java.util.TreeSet<Float> xs = new java.util.TreeSet<>(), ys = new java.util.TreeSet<>();
    for (RoomDef d : rooms) { xs.add(d.x0); xs.add(d.x1); ys.add(d.y0); ys.add(d.y1); }
    for (float at : xs) side(ys, at, false);
    for (float at : ys) side(xs, at, true);
  }
  private void side(java.util.TreeSet<Float> cuts, float at, boolean horizontal) {
    RoomDef left = null, right = null; float from = 0; boolean open = false; Float last = null;
    for (float c : cuts) {
      if (last != null) {
        double m = (last + c) / 2.0;
        RoomDef l = horizontal ? over(m, at - 1) : over(at + 1, m), g = horizontal ? over(m, at + 1) : over(at - 1, m);
        if (open && (l != left || g != right)) { build(at, from, last, horizontal, left, right); open = false; }
        if (!open && l != g) { open = true; from = last; left = l; right = g; }
      }
      last = c;
    }
    if (open) build(at, from, last, horizontal, left, right);
  }
  private void build(float at, float from, float to, boolean horizontal, RoomDef left, RoomDef right) {
    float thick = (float) (2 * (left == null || right == null ? OUTER : INNER));
    if (horizontal) wall(from, at, to, at, thick, colour(left), colour(right));
    else wall(at, from, at, to, thick, colour(left), colour(right));
  }

  /** A door frame without a leaf between two rooms, `along` cm from the start of the wall they share. */
  void door(String a, String b, double along) {
    RoomDef p = r(a), q = r(b); Door d = new Door(); d.a = a; d.b = b;
    d.horizontal = p.y1 == q.y0 || q.y1 == p.y0;
    if (d.horizontal) { d.y = p.y1 == q.y0 ? p.y1 : p.y0; d.x = Math.max(p.x0, q.x0) + along; }
    else { d.x = p.x1 == q.x0 ? p.x1 : p.x0; d.y = Math.max(p.y0, q.y0) + along; }
    doors.add(d);
    opening("doorFrame", d.x, d.y, d.horizontal ? 0 : 90, 2 * INNER, true, a, b);
  }
  private Door between(String a, String b) {
    for (Door d : doors) if (d.a.equals(a) && d.b.equals(b) || d.a.equals(b) && d.b.equals(a)) return d;
    throw new IllegalArgumentException("no door: " + a + " " + b);
  }
  private static double angle(char side) { return side == 'N' ? 0 : side == 'E' ? 90 : side == 'S' ? 180 : 270; }
  /** The wall's face inside the room. */
  private double[] face(String room, char side, double along, double off) {
    RoomDef d = r(room);
    double px = side == 'W' ? d.x0 : side == 'E' ? d.x1 : d.x0 + along, py = side == 'N' ? d.y0 : side == 'S' ? d.y1 : d.y0 + along;
    RoomDef beyond = over(px + (side == 'W' ? -1 : side == 'E' ? 1 : 0), py + (side == 'N' ? -1 : side == 'S' ? 1 : 0));
    double in = (beyond == null ? OUTER : INNER) + off;
    return new double[] {px + (side == 'W' ? in : side == 'E' ? -in : 0), py + (side == 'N' ? in : side == 'S' ? -in : 0), angle(side)};
  }
  /** A window or an entrance in an outer wall. */
  void hole(String room, char side, double along, String piece) {
    double[] f = face(room, side, along, -OUTER);
    opening(piece, f[0], f[1], f[2], 2 * OUTER, piece.equals("frontDoor"), room, null);
  }

  // ---------------------------------------------------------------- pieces
  /** A piece with its back to a wall, its middle `along` cm from the start of that wall. */
  void by(String room, char side, double along, String piece, String plain, double... scale) {
    double deep = need(piece).getDepth() * (scale.length == 1 ? scale[0] : 1);
    double[] f = face(room, side, along, deep / 2 + 1);
    put(plain.replace(' ', '-') + "-" + ++count, room, piece, plain, f[0], f[1], f[2], 0, scale);
  }
  /** The same, with its foot above the floor. */
  void up(String room, char side, double along, double elevation, String piece, String plain, double... scale) {
    double deep = need(piece).getDepth() * (scale.length == 1 ? scale[0] : 1);
    double[] f = face(room, side, along, deep / 2 + 1);
    put(plain.replace(' ', '-') + "-" + ++count, room, piece, plain, f[0], f[1], f[2], elevation, scale);
  }
  /** A piece at a point counted from the room's corner with the least x and y. */
  void at(String room, double px, double py, double angle, double elevation, String piece, String plain, double... scale) {
    put(plain.replace(' ', '-') + "-" + ++count, room, piece, plain, r(room).x0 + px, r(room).y0 + py, angle, elevation, scale);
  }
  /** A table with `n` chairs (two to four) around it. */
  void table(String room, double px, double py, String piece, String plain, String chair, int n) {
    at(room, px, py, 0, 0, piece, plain);
    double w = need(piece).getWidth() / 2 + 12, d = need(piece).getDepth() / 2 + 14;
    double[][] seats = {{0, -d, 0}, {0, d, 180}, {-w, 0, 270}, {w, 0, 90}};
    for (int i = 0; i < n; i++) at(room, px + seats[i][0], py + seats[i][1], seats[i][2], 0, chair, "chair");
  }

  // ---------------------------------------------------------------- signs
  /** A sign whose capitals are about `cm` high; its size follows from its lines. */
  void note(String room, char side, double along, double middle, String kind, double cm, String text, int paper, int ink) {
    String[] lines = text.split("\n"); int longest = 3;
    for (String l : lines) longest = Math.max(longest, l.length());
    double[] f = face(room, side, along, 0);
    sign(kind.replace(' ', '-') + "-" + ++count, room, kind, text, f[0], f[1], f[2], middle, longest * cm * 1.24, lines.length * cm / (kind.equals("poster") ? .28 : .6), paper, ink);
  }
  /** A plate in `from` that names the room behind the door: above it, or beside it at eye height. */
  void plate(String from, String to, String text, boolean above, double cm, int paper, int ink) {
    Door d = between(from, to); RoomDef f = r(from), g = r(to);
    char side = d.horizontal ? (f.y1 == d.y ? 'S' : 'N') : (f.x1 == d.x ? 'E' : 'W');
    double w = text.length() * cm * 1.24, along = d.horizontal ? d.x - f.x0 : d.y - f.y0;
    note(from, side, above ? along : along + 56 + w / 2, above ? 229 : 165, "door plate", cm, text, paper, ink);
  }

  // ---------------------------------------------------------------- photos
  /** A photo from one point of a room towards another, both as shares of its width and depth. */
  void photo(String room, double fx, double fy, double tx, double ty, double pitch) {
    RoomDef d = r(room); double w = d.x1 - d.x0, h = d.y1 - d.y0;
    double px = d.x0 + fx * w, py = d.y0 + fy * h;
    spots.add(new double[] {px, py, eye, toward(d.x0 + tx * w - px, d.y0 + ty * h - py), pitch});
  }
  private static double toward(double dx, double dy) { return (Math.toDegrees(Math.atan2(-dx, dy)) + 360) % 360; }

  // ---------------------------------------------------------------- path
  private void key(double pitch) { keys.add(new Key(t, x, y, yaw, pitch)); }
  void start(String room, double fx, double fy, double direction) {
    RoomDef d = r(room);
    x = d.x0 + fx * (d.x1 - d.x0); y = d.y0 + fy * (d.y1 - d.y0); yaw = direction; t = 0;
    key(6);
  }
  /** Turns on the spot at `speed` degrees a second; a negative angle turns left. */
  void pan(double degrees, double speed) {
    t += Math.abs(degrees) / speed; yaw += degrees; key(8);
  }
  private void turn(double to) {
    double d = ((to - yaw) % 360 + 540) % 360 - 180;
    if (Math.abs(d) > 25) { t += Math.abs(d) / 95; yaw += d; key(6); } else yaw += d;
  }
  private void step(double tx, double ty) {
    double far = Math.hypot(tx - x, ty - y);
    if (far < 5) return;
    turn(toward(tx - x, ty - y));
    t += far / 125; x = tx; y = ty; key(5);
  }
  void to(String room, double fx, double fy) {
    RoomDef d = r(room);
    step(d.x0 + fx * (d.x1 - d.x0), d.y0 + fy * (d.y1 - d.y0));
  }
  /** Through the door between two rooms to a point of the second one. */
  void enter(String from, String room, double fx, double fy) {
    Door d = between(from, room); RoomDef f = r(from);
    double s = d.horizontal ? Math.signum((f.y0 + f.y1) / 2 - d.y) : Math.signum((f.x0 + f.x1) / 2 - d.x);
    step(d.horizontal ? d.x : d.x + 70 * s, d.horizontal ? d.y + 70 * s : d.y);
    step(d.horizontal ? d.x : d.x - 50 * s, d.horizontal ? d.y - 50 * s : d.y);
    to(room, fx, fy);
  }
  double now() { return t; }
}
