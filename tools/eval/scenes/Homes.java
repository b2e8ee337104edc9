/** Homes and holiday homes. Rooms around a hallway; north rooms have small y. */
class Homes {
  static final int PALE = 0xF0EEE8, PALER = 0xF3F1EC, COOL = 0xEBEEF0, WARM = 0xF2ECE0;
  static final int INK = 0x202428, PAPER = 0xFFFFFF, RED = 0xA8161E, NAVY = 0x1D3557, GREEN = 0x14532D, YELLOW = 0xFFE27A, SLATE = 0x263238;

  /** Development: a family flat, notes on the walls, no room is named. */
  static void family(Place p) {
    p.title = "family flat of seven rooms around a hallway, notes but no room signs";
    p.area("hall", "hallway", 0, 400, 1060, 540, "Old wooden floor", PALE);
    p.area("kitchen", "kitchen", 0, 0, 380, 400, "Grey tiles", PALE);
    p.area("living", "living room", 380, 0, 800, 400, "Wooden floor", PALER);
    p.area("bath", "bathroom", 800, 0, 1060, 400, "Light blue tiles", "Blue tiles");
    p.area("bed1", "bedroom", 0, 540, 360, 920, "Wooden floor", PALE);
    p.area("bed2", "bedroom", 360, 540, 720, 920, "Wooden floor", PALE);
    p.area("bed3", "bedroom", 720, 540, 1060, 920, "Wooden floor", COOL);
    p.walls();
    p.door("hall", "kitchen", 190); p.door("hall", "living", 210); p.door("hall", "bath", 130);
    p.door("hall", "bed1", 180); p.door("hall", "bed2", 180); p.door("hall", "bed3", 170);
    p.hole("hall", 'W', 70, "frontDoor");
    p.hole("kitchen", 'W', 200, "window85x123"); p.hole("living", 'N', 90, "doubleWindow126x163");
    p.hole("bed1", 'S', 60, "window85x123"); p.hole("bed2", 'S', 300, "window85x123"); p.hole("bed3", 'E', 200, "window85x123");
    Rooms.kitchen(p, "kitchen", 'N', 4); p.at("kitchen", 260, 265, 0, 74, "Scopia:bowlWithFruits", "bowl");
    Rooms.living(p, "living", 'N', false); p.by("living", 'S', 80, "bookcase", "bookcase");
    Rooms.bathroom(p, "bath", 'N', true); p.by("bath", 'S', 40, "clothesWasher", "washing machine");
    Rooms.bedroom(p, "bed1", 'S', 1); Rooms.bedroom(p, "bed2", 'S', 1); Rooms.bedroom(p, "bed3", 'S', 3);
    p.by("bed3", 'E', 90, "BlendSwap-CC-BY:simpleDesk", "desk"); p.by("hall", 'S', 610, "chest", "chest of drawers");
    p.note("kitchen", 'E', 250, 160, "chalkboard", 6.5, "BIN DAYS\nPAPER FRIDAY\nGLASS MONDAY", SLATE, 0xF4F4E8);
    p.note("kitchen", 'E', 110, 160, "note", 7, "BOILER\nSERVICE 03/2025", PAPER, INK);
    p.note("living", 'W', 130, 160, "card", 7, "GUEST WIFI\nLARKSPUR88", YELLOW, INK);
    p.note("bath", 'W', 330, 165, "note", 7, "NO HOT WATER\nBEFORE 6:30", PAPER, RED);
    p.note("hall", 'E', 70, 160, "note", 7, "METER 40718", PAPER, INK);
    p.note("bed2", 'E', 110, 160, "poster", 7, "LONDON\nMARATHON 2019", WARMPOSTER, NAVY);
  }
  static final int WARMPOSTER = 0xF6E7C8;
  static void familyPhotos(Place p) {
    p.eye = 150;
    p.photo("hall", .06, .5, .95, .5, 5); p.photo("hall", .6, .35, 1, .5, 3);
    p.photo("kitchen", .92, .92, .25, .1, 8); p.photo("kitchen", .35, .75, 1, .25, 4);
    p.photo("living", .9, .9, .3, .1, 8); p.photo("living", .75, .6, 0, .3, 4);
    p.photo("bath", .25, .85, .7, .1, 14); p.photo("bath", .75, .55, 0, .85, 6);
    p.photo("bed1", .85, .1, .3, .9, 10); p.photo("bed2", .85, .1, .3, .9, 10); p.photo("bed2", .35, .45, 1, .25, 3);
    p.photo("bed3", .85, .1, .3, .9, 10);
  }
  static void familyWalk(Place p) {
    p.eye = 152;
    p.start("hall", .08, .5, 270);
    p.enter("hall", "kitchen", .5, .65); p.pan(330, 62);
    p.enter("kitchen", "hall", .2, .5); p.to("hall", .45, .5);
    p.enter("hall", "living", .5, .7); p.pan(-300, 62);
    p.enter("living", "hall", .5, .5); p.enter("hall", "bed2", .6, .35); p.pan(220, 60);
    p.enter("bed2", "hall", .6, .5); p.to("hall", .75, .5);
    p.enter("hall", "bath", .5, .7); p.pan(-260, 62);
  }

  /** Held: a holiday flat by the sea; house rules on the walls, no room is named. */
  static void holiday(Place p) {
    p.title = "holiday flat of six rooms with house notices, no room signs";
    p.area("hall", "hallway", 340, 0, 480, 860, "Stone tiles", WARM);
    p.area("kitchen", "kitchen", 0, 0, 340, 400, "Red tiles", WARM);
    p.area("living", "living room", 0, 400, 340, 860, "Beige tiles", PALER);
    p.area("bath", "bathroom", 480, 0, 760, 260, "Beige tiles", "Beige tiles");
    p.area("bed1", "bedroom", 480, 260, 840, 560, "Old wooden floor", WARM);
    p.area("bed2", "bedroom", 480, 560, 840, 860, "Old wooden floor", WARM);
    p.walls();
    p.door("hall", "kitchen", 280); p.door("hall", "living", 230); p.door("hall", "bath", 190); p.door("hall", "bed1", 90); p.door("hall", "bed2", 90);
    p.hole("hall", 'S', 70, "frontDoor");
    p.hole("kitchen", 'W', 250, "window85x123"); p.hole("living", 'S', 200, "doubleWindow126x163"); p.hole("bed1", 'E', 210, "window85x163"); p.hole("bed2", 'E', 210, "window85x163");
    p.by("kitchen", 'N', 60, "BlendSwap-CC-0:refrigerator", "fridge", .9); p.by("kitchen", 'N', 145, "cooker", "cooker"); p.by("kitchen", 'N', 240, "sink", "kitchen sink");
    p.table("kitchen", 110, 280, "BlendSwap-CC-BY:cafe_set_mota_table", "kitchen table", "KatorLegaz:cafe-chair", 2);
    p.up("kitchen", 'N', 300, 85, "Scopia:Coffee machine", "coffee machine", .8);
    p.by("living", 'W', 300, "cornerSofa", "sofa"); p.at("living", 200, 310, 90, 0, "Scopia:coffee_table", "coffee table");
    p.by("living", 'N', 110, "BlendSwap-CC-BY:tvStand", "sideboard"); p.up("living", 'N', 110, 54, "flatTV", "television"); p.by("living", 'E', 420, "BlendSwap-CC-0:decorativePlant", "potted plant");
    p.by("bath", 'E', 130, "shower", "shower"); p.by("bath", 'N', 140, "toiletUnit", "toilet"); p.by("bath", 'N', 60, "washbasin", "washbasin");
    for (String b : new String[] {"bed1", "bed2"}) { p.by(b, 'N', 220, "BlendSwap-CC-0:bed2", "bed"); p.by(b, 'N', 110, "BlendSwap-CC-0:bedsideTable2", "bedside table"); p.by(b, 'S', 250, "wardrobe", "wardrobe"); }
    p.by("bed2", 'S', 130, "BlendSwap-CC-BY:suitcase", "suitcase");
    p.note("hall", 'N', 70, 165, "notice", 6.5, "CHECK OUT\n10:30", PAPER, NAVY);
    p.note("kitchen", 'E', 120, 165, "notice", 6.5, "RUBBISH GOES OUT\nTUESDAY EVENING", PAPER, GREEN);
    p.note("kitchen", 'W', 110, 165, "card", 6.5, "HOST: MRS DUARTE\n0821 55 719", YELLOW, INK);
    p.note("living", 'E', 110, 160, "card", 7, "WIFI SEAGULL\nKEY 7714-ROPE", PAPER, INK);
    p.note("living", 'E', 360, 165, "notice", 6.5, "BOAT TRIPS 35 EURO\nDAILY AT 9:15", NAVY, PAPER);
    p.note("bath", 'S', 200, 160, "notice", 6.5, "NO PAPER TOWELS\nIN THE TOILET", PAPER, RED);
    p.note("bed1", 'W', 210, 165, "notice", 6.5, "QUIET PLEASE\n22:30 - 7:00", PAPER, INK);
    p.note("bed2", 'W', 210, 165, "card", 6.5, "SAFE CODE 2196", PAPER, INK);
  }
  static void holidayPhotos(Place p) {
    p.eye = 158;
    p.photo("hall", .5, .9, .5, .1, 4); p.photo("hall", .5, .32, .5, 0, 2);
    p.photo("kitchen", .85, .9, .35, .1, 8); p.photo("kitchen", .3, .55, 1, .25, 2);
    p.photo("living", .85, .15, .2, .8, 10); p.photo("living", .2, .5, 1, .5, 3);
    p.photo("bath", .12, .85, .7, .1, 10); p.photo("bath", .5, .3, .72, 1, 2);
    p.photo("bed1", .1, .9, .65, .1, 9); p.photo("bed1", .75, .6, 0, .75, 2);
    p.photo("bed2", .1, .9, .65, .1, 9); p.photo("bed2", .75, .6, 0, .75, 2);
  }
  static void holidayWalk(Place p) {
    p.eye = 168;
    p.start("hall", .5, .93, 180);
    p.to("hall", .5, .35); p.pan(15, 60);
    p.enter("hall", "kitchen", .55, .6); p.pan(-330, 62);
    p.enter("kitchen", "hall", .5, .5); p.enter("hall", "bed1", .45, .6); p.pan(-250, 60);
    p.enter("bed1", "hall", .5, .65); p.enter("hall", "living", .6, .45); p.pan(300, 62);
    p.enter("living", "hall", .5, .75); p.enter("hall", "bed2", .45, .6); p.pan(-250, 60);
  }

  /** Held: eight rooms, three bedrooms alike, white everywhere, not one letter on a wall. */
  static void plain(Place p) {
    p.title = "white house of eight rooms, three bedrooms alike, no signs at all";
    p.area("hall", "hallway", 0, 420, 1400, 560, "Wooden floor", PALER);
    p.area("living", "living room", 0, 0, 460, 420, "Wooden floor", PALER);
    p.area("kitchen", "kitchen", 460, 0, 840, 420, "Grey tiles", PALER);
    p.area("dining", "dining room", 840, 0, 1140, 420, "Wooden floor", PALER);
    p.area("bath", "bathroom", 1140, 0, 1400, 420, "Grey tiles", PALER);
    p.area("bed1", "bedroom", 0, 560, 380, 940, "Wooden floor", PALER);
    p.area("bed2", "bedroom", 380, 560, 760, 940, "Wooden floor", PALER);
    p.area("bed3", "bedroom", 760, 560, 1140, 940, "Wooden floor", PALER);
    p.area("study", "office", 1140, 560, 1400, 940, "Wooden floor", PALER);
    p.walls();
    p.door("hall", "living", 300); p.door("hall", "kitchen", 250); p.door("kitchen", "dining", 260); p.door("hall", "bath", 130);
    p.door("hall", "bed1", 190); p.door("hall", "bed2", 190); p.door("hall", "bed3", 190); p.door("hall", "study", 130);
    p.hole("hall", 'W', 70, "frontDoor"); p.hole("living", 'W', 200, "doubleWindow126x163"); p.hole("kitchen", 'N', 340, "window85x123"); p.hole("dining", 'N', 150, "doubleWindow126x163");
    for (String b : new String[] {"bed1", "bed2", "bed3"}) { Rooms.bedroom(p, b, 'S', 2); p.hole(b, 'S', 320, "window85x123"); }
    p.hole("study", 'E', 200, "window85x123");
    Rooms.living(p, "living", 'N', true); Rooms.kitchen(p, "kitchen", 'N', 0); Rooms.bathroom(p, "bath", 'N', true);
    p.table("dining", 150, 190, "table", "dining table", "chair2", 4);
    Rooms.desk(p, "study", 130, 330, 180, false); p.by("study", 'W', 120, "filledBookcase", "bookcase");
    p.by("hall", 'S', 570, "dresser", "sideboard"); p.up("hall", 'S', 570, 65, "flowers", "vase of flowers");
    p.at("bed2", 330, 330, 0, 0, "BlendSwap-CC-0:electricGuitar", "electric guitar");
  }
  static void plainPhotos(Place p) {
    p.eye = 145;
    p.photo("hall", .04, .5, .9, .5, 5);
    p.photo("living", .9, .92, .3, .1, 8); p.photo("living", .15, .1, .9, .7, 8);
    p.photo("kitchen", .9, .9, .3, .1, 8); p.photo("dining", .15, .9, .6, .3, 10); p.photo("bath", .8, .9, .3, .2, 14);
    p.photo("bed1", .85, .08, .35, .9, 10); p.photo("bed2", .85, .08, .35, .9, 10); p.photo("bed3", .85, .08, .35, .9, 10);
    p.photo("study", .15, .1, .6, .9, 8);
  }
  static void plainWalk(Place p) {
    p.eye = 164; p.voice = "en-us"; p.speed = "165";
    p.start("hall", .04, .5, 270);
    p.say(.3, "Come in. The house was built in nineteen sixty four.", "the house was built in 1964");
    p.enter("hall", "living", .6, .6); double a = p.now(); p.pan(-270, 60);
    p.say(a - .5, "Here you can sit by the window. The sofa is from the former owner.", "the sofa is from the former owner");
    p.enter("living", "hall", .25, .5); p.enter("hall", "kitchen", .55, .65); a = p.now(); p.pan(250, 60);
    p.say(a - .8, "This is the kitchen. The cooker is electric and the fridge is two years old.", "the cooker is electric", "the fridge is two years old");
    p.enter("kitchen", "hall", .45, .5); p.enter("hall", "bed2", .55, .4); a = p.now(); p.pan(240, 60);
    p.say(a - .8, "One of three bedrooms. The window was replaced in two thousand and eighteen.", "there are three bedrooms", "the window was replaced in 2018");
    p.enter("bed2", "hall", .5, .5); p.to("hall", .6, .5); p.enter("hall", "bed3", .55, .4); p.pan(220, 60);
    p.enter("bed3", "hall", .75, .5); p.enter("hall", "bath", .5, .7); a = p.now(); p.pan(-250, 60);
    p.pan(-60, 60);
    p.say(a - 1, "And the bathroom. The price is three hundred and ten thousand pounds, without the furniture.", "the price is 310000 pounds", "the furniture is not included");
  }
}
