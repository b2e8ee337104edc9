/** Furniture of usual rooms, in a few tastes. `back` is the wall opposite the door, 'N' or 'S'. */
class Rooms {
  private static double w(Place p, String id) { return p.r(id).x1 - p.r(id).x0; }
  private static double h(Place p, String id) { return p.r(id).y1 - p.r(id).y0; }

  static void bedroom(Place p, String id, char back, int taste) {
    String[] bed = {"bed140x190", "BlendSwap-CC-0:bed1", "Scopia:bed1", "bed90x190", "BlendSwap-CC-BY:lettoCloud"};
    String[] wardrobe = {"wardrobe", "BlendSwap-CC-BY:wardrobe2", "BlendSwap-CC-BY:wardrobe", "wardrobe", "wardrobe"};
    double mid = w(p, id) / 2, wide = Walk.need(bed[taste]).getWidth() / 2 + 30;
    p.by(id, back, mid, bed[taste], "bed");
    p.by(id, back, mid - wide, "bedsideTable", "bedside table");
    if (taste != 3) p.by(id, back, mid + wide, "bedsideTable", "bedside table");
    p.up(id, back, mid - wide, 50, "lamp", "table lamp", .6);
    double fromDoor = taste == 1 ? 100 : taste == 4 ? h(p, id) - 130 : 75;
    p.by(id, 'W', back == 'N' ? h(p, id) - fromDoor : fromDoor, wardrobe[taste], "wardrobe");
  }
  static void bathroom(Place p, String id, char back, boolean tub) {
    if (tub) p.by(id, back, w(p, id) / 2, "BlendSwap-CC-BY:bath_jay_hardy", "bathtub", w(p, id) > 200 ? 1 : .85);
    else p.by(id, back, 55, "shower", "shower");
    double y = h(p, id) / 2;
    p.by(id, 'E', y, "toiletUnit", "toilet");
    p.by(id, 'W', y, "washbasinWithCabinet", "washbasin");
  }
  static void kitchen(Place p, String id, char back, int chairs) {
    p.by(id, back, 45, "fridgeFreezer", "fridge");
    p.by(id, back, 106, "cooker", "cooker");
    p.up(id, back, 106, 156, "hood", "extractor hood");
    p.by(id, back, 198, "sink", "kitchen sink");
    if (w(p, id) > 330) { p.by(id, back, 290, "kitchenCabinet", "kitchen cabinet"); p.up(id, back, 290, 145, "kitchenUpperCabinet", "upper cabinet"); }
    if (chairs > 0) p.table(id, w(p, id) - 120, back == 'N' ? h(p, id) - 135 : 135, "squareTable", "kitchen table", "chair", chairs);
  }
  static void living(Place p, String id, char back, boolean leather) {
    String sofa = leather ? "BlendSwap-CC-0:winchesterSofa" : "Scopia:beige_sofa";
    p.by(id, back, w(p, id) / 2, sofa, "sofa");
    double y = back == 'N' ? 190 : h(p, id) - 190;
    p.at(id, w(p, id) / 2, y, 0, 0, "coffeeTable", "coffee table");
    p.by(id, 'E', h(p, id) / 2, "BlendSwap-CC-BY:tvStand", "sideboard");
    p.up(id, 'E', h(p, id) / 2, 54, "flatTV", "television");
    p.by(id, back, 45, "plant", "potted plant");
    p.by(id, 'W', h(p, id) / 2, leather ? "BlendSwap-CC-0:winchesterArmchair" : "armchair2", "armchair");
  }
  static void desk(Place p, String id, double x, double y, double angle, boolean laptop) {
    double r = Math.toRadians(angle), dx = -Math.sin(r), dy = Math.cos(r);
    p.at(id, x, y, angle, 0, "desk", "desk");
    p.at(id, x, y, angle, 77, laptop ? "laptop" : "Scopia:Apple iMac 2004", laptop ? "laptop computer" : "computer");
    p.at(id, x + 66 * dx, y + 66 * dy, angle + 180, 0, "KatorLegaz:office-chair", "office chair");
  }
}
