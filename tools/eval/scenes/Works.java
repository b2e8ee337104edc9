/** Places where people work, eat, stay or are treated. */
class Works {
  static final int PALE = Homes.PALE, COOL = Homes.COOL, WARM = Homes.WARM, PALER = Homes.PALER;
  static final int INK = Homes.INK, PAPER = Homes.PAPER, RED = Homes.RED, NAVY = Homes.NAVY, GREEN = Homes.GREEN, YELLOW = Homes.YELLOW, SLATE = Homes.SLATE;

  /** Development: an office of six rooms; plates above the doors. */
  static void office(Place p) {
    p.title = "office of six rooms, plates name the room behind the door";
    p.area("reception", "reception", 0, 0, 420, 460, "Grey tiles", PALE);
    p.area("open", "office", 420, 0, 960, 460, "Grey tiles", PALE);
    p.area("corridor", "corridor", 0, 460, 960, 600, "Grey tiles", COOL);
    p.area("meet", "meeting room", 0, 600, 380, 980, "Grey tiles", PALE);
    p.area("print", "copy room", 380, 600, 620, 980, "Grey tiles", PALE);
    p.area("kitchenette", "kitchen", 620, 600, 960, 980, "Black and white tiles", PALE);
    p.walls();
    p.door("corridor", "reception", 210); p.door("corridor", "open", 250); p.door("corridor", "meet", 190); p.door("corridor", "print", 110); p.door("corridor", "kitchenette", 150);
    p.hole("reception", 'N', 80, "frontDoor"); p.hole("open", 'N', 150, "doubleWindow126x163"); p.hole("open", 'N', 400, "doubleWindow126x163"); p.hole("meet", 'W', 200, "window85x163");
    p.by("reception", 'E', 260, "dresser", "counter", 1.1); p.by("reception", 'W', 220, "Scopia:beige_sofa_2seats", "sofa"); p.by("reception", 'W', 380, "plant", "potted plant");
    Rooms.desk(p, "open", 120, 120, 0, false); Rooms.desk(p, "open", 300, 120, 0, true); Rooms.desk(p, "open", 450, 250, 90, false); p.by("open", 'S', 90, "KatorLegaz:filing-cabinet", "filing cabinet");
    p.at("meet", 190, 210, 0, 0, "Scopia:black_table", "table"); for (int i = 0; i < 4; i++) p.at("meet", i % 2 == 0 ? 140 : 240, i < 2 ? 150 : 270, i < 2 ? 0 : 180, 0, "KatorLegaz:office-chair", "office chair");
    p.up("meet", 'S', 190, 110, "Scopia:Wall flat TV", "television");
    p.by("print", 'S', 120, "dresser", "sideboard", .8); p.up("print", 'S', 120, 52, "Scopia:Inkjet printer and scanner", "printer"); p.by("print", 'W', 200, "bookcase", "shelf");
    Rooms.kitchen(p, "kitchenette", 'S', 2); p.by("kitchenette", 'E', 120, "Scopia:Water cooler", "water cooler");
    p.plate("corridor", "meet", "MEETING ROOM", true, 9, NAVY, PAPER); p.plate("corridor", "print", "COPY ROOM", true, 9, NAVY, PAPER); p.plate("corridor", "kitchenette", "KITCHEN", true, 9, NAVY, PAPER);
    p.plate("corridor", "reception", "RECEPTION", true, 9, NAVY, PAPER);
    p.note("reception", 'W', 80, 165, "notice", 7, "OPEN MON - THU\n8:15 - 16:45", PAPER, INK);
    p.note("reception", 'E', 110, 165, "sign", 7, "VISITORS\nSIGN IN HERE", GREEN, PAPER);
    p.note("open", 'E', 100, 165, "notice", 7, "FIRE DRILL\n9 OCTOBER", PAPER, RED);
    p.note("open", 'E', 280, 165, "card", 7, "STAFF WIFI\nHERON-5530", PAPER, INK);
    p.note("meet", 'E', 250, 160, "notice", 7, "SEATS 8\nBOOK EXT 214", PAPER, INK);
    p.note("print", 'E', 240, 160, "notice", 6.5, "PRINT CODE 6071", YELLOW, INK);
    p.note("kitchenette", 'E', 280, 165, "notice", 7, "FRIDGE CLEANED\nEVERY FRIDAY", PAPER, GREEN);
    p.note("corridor", 'E', 70, 165, "notice", 7, "FIRST AID\nROOM 3.08", GREEN, PAPER);
  }
  static void officePhotos(Place p) {
    p.eye = 160;
    p.photo("reception", .85, .9, .1, .1, 5); p.photo("reception", .25, .6, 1, .3, 5); p.photo("corridor", .7, .4, 1, .5, 0); p.photo("corridor", .3, .05, .65, 1, -5);
    p.photo("open", .1, .85, .7, .2, 8); p.photo("open", .6, .75, 1, .3, 3);
    p.photo("meet", .12, .12, .8, .8, 9); p.photo("print", .3, .3, 1, .7, 6); p.photo("print", .7, .15, .4, 1, 10); p.photo("kitchenette", .15, .12, .7, .9, 8); p.photo("kitchenette", .35, .6, 1, .75, 3);
  }
  static void officeWalk(Place p) {
    p.eye = 172; p.voice = "en-gb-scotland"; p.speed = "165";
    p.start("reception", .35, .3, 300);
    p.say(.3, "Welcome. The company moved in here in two thousand and sixteen.", "the company moved in in 2016");
    p.pan(-330, 60);
    p.enter("reception", "corridor", .22, .45); p.to("corridor", .45, .5); p.enter("corridor", "open", .4, .7); double a = p.now(); p.pan(-300, 60);
    p.say(a - .6, "Twelve people work at these desks. The air conditioning was serviced in May.", "twelve people work here", "the air conditioning was serviced in May");
    p.enter("open", "corridor", .55, .5); p.enter("corridor", "print", .55, .4); a = p.now(); p.pan(200, 60);
    p.say(a - .6, "The printer is leased until the end of next year.", "the printer is leased until the end of next year");
    p.enter("print", "corridor", .6, .5); p.enter("corridor", "kitchenette", .5, .4); a = p.now(); p.pan(-240, 60);
    p.say(a - .6, "We make our coffee here. The dishwasher is broken at the moment.", "the dishwasher is broken");
  }

  /** Development: a cafe; menus, prices, and plates beside doors. */
  static void cafe(Place p) {
    p.title = "cafe with two guest rooms, kitchen, store and toilet";
    p.area("front", "dining room", 0, 0, 560, 480, "Old wooden floor", WARM);
    p.area("side", "dining room", 560, 0, 920, 480, "Old wooden floor", WARM);
    p.area("kitchen", "kitchen", 0, 480, 380, 820, "Grey tiles", PALE);
    p.area("store", "storeroom", 380, 480, 620, 820, "Paving stone", PALE);
    p.area("wc", "toilet", 620, 480, 920, 820, "Black and white tiles", PALE);
    p.walls();
    p.door("front", "side", 330); p.door("front", "kitchen", 120); p.door("front", "store", 90); p.door("side", "wc", 160);
    p.hole("front", 'W', 100, "frontDoor"); p.hole("front", 'N', 150, "doubleWindow126x163"); p.hole("side", 'N', 180, "doubleWindow126x163");
    p.table("front", 130, 300, "KatorLegaz:cafe-table", "table", "KatorLegaz:cafe-chair", 2); p.table("front", 270, 130, "KatorLegaz:cafe-table", "table", "KatorLegaz:cafe-chair", 2);
    p.by("front", 'E', 130, "dresser", "counter", 1.05); p.up("front", 'E', 100, 68, "Scopia:Coffee machine", "coffee machine"); p.up("front", 'E', 170, 68, "Scopia:birthday_cake", "cake");
    p.table("side", 120, 130, "BlendSwap-CC-BY:cafe_set_mota_table", "table", "BlendSwap-CC-BY:cafe_set_mota_chair", 2); p.table("side", 260, 270, "BlendSwap-CC-BY:cafe_set_mota_table", "table", "BlendSwap-CC-BY:cafe_set_mota_chair", 2);
    Rooms.kitchen(p, "kitchen", 'S', 0); p.by("store", 'W', 200, "Scopia:Shelves", "shelf"); p.by("store", 'S', 140, "Scopia:chest-freezer", "chest freezer"); p.by("store", 'E', 180, "Scopia:cardboard-box", "cardboard box");
    p.by("wc", 'S', 190, "toiletUnit", "toilet"); p.by("wc", 'E', 120, "washbasin", "washbasin");
    p.note("front", 'E', 130, 175, "blackboard", 7.5, "ESPRESSO 2.20\nFLAT WHITE 3.60\nHOT COCOA 3.90\nICED TEA 3.10", SLATE, 0xF4F4E8);
    p.note("front", 'N', 330, 165, "notice", 7, "TUE - SUN\n7:30 - 18:00", PAPER, INK);
    p.note("front", 'N', 470, 165, "blackboard", 6.5, "SOUP OF THE DAY\nCARROT GINGER\n5.40", SLATE, 0xF4F4E8);
    p.note("side", 'E', 150, 160, "poster", 7, "OPEN MIC\n28 NOVEMBER", 0xF4E3B2, RED);
    p.note("side", 'E', 255, 160, "card", 7, "WIFI CODE\nBRIOCHE19", PAPER, INK);
    p.note("side", 'E', 370, 160, "notice", 7, "NO LAPTOPS\nAT WEEKENDS", PAPER, RED);
    p.note("kitchen", 'E', 200, 165, "notice", 7, "OVEN MAX 230 C", PAPER, RED); p.note("store", 'N', 190, 165, "notice", 6, "FLOUR 25 KG\nX 6", PAPER, INK);
    p.note("wc", 'W', 200, 160, "notice", 6.5, "CLEANED HOURLY", PAPER, NAVY);
    p.plate("front", "kitchen", "STAFF", true, 9, RED, PAPER); p.plate("side", "wc", "TOILET", true, 9, NAVY, PAPER);
  }
  static void cafePhotos(Place p) {
    p.eye = 148;
    p.photo("front", .3, .6, .95, .1, 3); p.photo("front", .85, .85, .3, .1, 5);
    p.photo("side", .1, .9, .7, .2, 6); p.photo("side", .25, .52, 1, .53, 2);
    p.photo("kitchen", .3, .1, .5, .9, 9); p.photo("kitchen", .3, .45, 1, .6, 3); p.photo("store", .4, .12, .4, 1, 12); p.photo("store", .7, .7, .75, 0, 1); p.photo("wc", .5, .1, .65, 1, 12);
  }

  /** Held: a practice along a corridor; plates beside or above the doors. */
  static void clinic(Place p) {
    p.title = "medical practice of seven rooms along a corridor";
    p.area("corridor", "corridor", 0, 380, 1240, 540, "Light blue tiles", COOL);
    p.area("waiting", "waiting room", 0, 0, 420, 380, "Grey tiles", PALE);
    p.area("exam1", "consulting room", 420, 0, 760, 380, "Grey tiles", COOL);
    p.area("exam2", "consulting room", 760, 0, 1100, 380, "Grey tiles", COOL);
    p.area("reception", "reception", 0, 540, 400, 900, "Grey tiles", PALE);
    p.area("lab", "laboratory", 400, 540, 760, 900, "Grey tiles", PALER);
    p.area("wc", "toilet", 760, 540, 1000, 900, "Grey tiles", "Beige tiles");
    p.walls();
    p.door("corridor", "waiting", 210); p.door("corridor", "exam1", 170); p.door("corridor", "exam2", 170); p.door("corridor", "reception", 200); p.door("corridor", "lab", 180); p.door("corridor", "wc", 120);
    p.hole("corridor", 'W', 80, "frontDoor"); p.hole("waiting", 'N', 330, "window85x163"); p.hole("exam1", 'N', 60, "window85x163"); p.hole("exam2", 'N', 60, "window85x163");
    for (int i = 0; i < 4; i++) p.by("waiting", 'W', 70 + 62 * i, "chair2", "chair"); p.by("waiting", 'N', 200, "BlendSwap-CC-0:bench", "bench"); p.at("waiting", 210, 190, 0, 0, "coffeeTable", "coffee table", .8); p.by("waiting", 'E', 60, "Scopia:Aquarium", "aquarium");
    for (String e : new String[] {"exam1", "exam2"}) { p.by(e, 'N', 275, "Scopia:Hospital bed", "bed"); Rooms.desk(p, e, 115, 130, 0, false); p.by(e, 'W', 330, "washbasin", "washbasin"); }
    p.by("reception", 'S', 200, "dresser", "counter", 1.1); p.up("reception", 'S', 200, 72, "Scopia:Apple iMac 2004", "computer"); p.by("reception", 'W', 160, "KatorLegaz:filing-cabinet", "filing cabinet"); p.by("reception", 'E', 60, "plant", "potted plant");
    p.by("lab", 'S', 120, "kitchenCabinet", "cabinet"); p.by("lab", 'S', 220, "sink", "sink"); p.by("lab", 'E', 230, "fridge", "fridge"); p.by("lab", 'W', 180, "stool", "stool");
    p.by("wc", 'S', 120, "toiletUnit", "toilet"); p.by("wc", 'W', 180, "washbasin", "washbasin");
    p.plate("corridor", "waiting", "WAITING ROOM", true, 9, GREEN, PAPER); p.plate("corridor", "exam1", "DR OKAFOR", true, 9, GREEN, PAPER); p.plate("corridor", "exam2", "DR LINDQVIST", true, 9, GREEN, PAPER);
    p.plate("corridor", "reception", "RECEPTION", true, 9, GREEN, PAPER); p.plate("corridor", "lab", "LABORATORY", true, 9, GREEN, PAPER); p.plate("corridor", "wc", "TOILET", true, 9, GREEN, PAPER);
    p.note("waiting", 'W', 210, 165, "notice", 7, "SURGERY HOURS\n8:30 - 13:00\nWED CLOSED", PAPER, INK);
    p.note("waiting", 'E', 170, 165, "notice", 7, "SWITCH OFF\nPHONES", PAPER, RED);
    p.note("waiting", 'E', 300, 165, "notice", 6, "FLU JABS\nFROM 12 OCTOBER", YELLOW, INK);
    p.note("exam1", 'S', 60, 160, "notice", 6.5, "EXT 331", PAPER, INK); p.note("exam2", 'S', 60, 160, "notice", 6.5, "EXT 338", PAPER, INK);
    p.note("reception", 'E', 190, 165, "notice", 6.5, "PRESCRIPTIONS\nREADY IN 48 HOURS", PAPER, NAVY); p.note("reception", 'W', 290, 165, "notice", 6.5, "MISSED VISIT\nFEE 25", PAPER, RED);
    p.note("lab", 'E', 110, 165, "notice", 6.5, "SAMPLES BEFORE\n10:15", YELLOW, INK); p.note("lab", 'W', 90, 165, "notice", 6.5, "KEEP AT 4 C", PAPER, RED);
  }
  static void clinicPhotos(Place p) {
    p.eye = 165;
    p.photo("corridor", .42, .88, .5, .05, -8); p.photo("corridor", .65, .9, .77, .05, -8);
    p.photo("waiting", .85, .85, .1, .2, 8); p.photo("waiting", .4, .35, 1, .55, 2);
    p.photo("exam1", .35, .85, .75, .1, 10); p.photo("exam1", .5, .4, .15, 1, 2); p.photo("exam2", .35, .85, .75, .1, 10); p.photo("exam2", .5, .4, .15, 1, 2);
    p.photo("reception", .15, .12, .8, .8, 6); p.photo("reception", .75, .4, 0, .8, 2); p.photo("lab", .15, .12, .85, .6, 6); p.photo("lab", .7, .3, 0, .27, 2); p.photo("wc", .75, .15, .4, .9, 12);
  }
  static void clinicWalk(Place p) {
    p.eye = 158; p.voice = "en-gb-x-rp"; p.speed = "160";
    p.start("corridor", .04, .5, 270);
    p.say(.2, "The practice opened in two thousand and eleven.", "the practice opened in 2011");
    p.to("corridor", .1, .5); p.enter("corridor", "reception", .5, .4); double a = p.now(); p.pan(-300, 60);
    p.say(a - .4, "Miss Halloran runs the desk. New patients are welcome, but there is no lift.", "Miss Halloran runs the desk", "new patients are welcome", "there is no lift");
    p.enter("reception", "corridor", .18, .5); p.enter("corridor", "waiting", .5, .6); a = p.now(); p.pan(300, 60);
    p.say(a - .4, "You rarely wait longer than twenty minutes.", "waits are rarely longer than twenty minutes");
    p.enter("waiting", "corridor", .25, .5); p.to("corridor", .42, .5); p.enter("corridor", "exam1", .5, .6); a = p.now(); p.pan(-250, 60);
    p.say(a - .4, "The couch in here was bought last year.", "the couch was bought last year");
    p.enter("exam1", "corridor", .48, .5); p.enter("corridor", "lab", .5, .4); p.pan(-230, 60);
  }

  /** Held: a workshop with stores; price lists and plates, some rooms unnamed. */
  static void workshop(Place p) {
    p.title = "bicycle and joinery workshop of six rooms";
    p.area("shop", "shop floor", 0, 0, 520, 440, "Paving stone", PALE);
    p.area("work", "workshop", 520, 0, 1040, 440, "Paving stone", PALE);
    p.area("office", "office", 0, 440, 340, 820, "Old wooden floor", PALER);
    p.area("parts", "storeroom", 340, 440, 620, 820, "Paving stone", PALE);
    p.area("paint", "workshop", 620, 440, 1040, 820, "Paving stone", COOL);
    p.walls();
    p.door("shop", "work", 320); p.door("shop", "office", 150); p.door("work", "parts", 50); p.door("work", "paint", 250);
    p.hole("shop", 'W', 330, "frontDoor"); p.hole("shop", 'N', 120, "doubleWindow126x163"); p.hole("work", 'N', 380, "window85x123"); p.hole("office", 'W', 150, "window85x123");
    p.by("shop", 'N', 330, "dresser", "counter"); p.at("shop", 120, 300, 60, 0, "Scopia:bicycle", "bicycle"); p.at("shop", 220, 330, 75, 0, "Scopia:bicycle", "bicycle"); p.up("shop", 'N', 360, 65, "laptop", "laptop computer");
    p.by("work", 'N', 150, "BlendSwap-CC-BY:workbench", "workbench"); p.by("work", 'E', 230, "BlendSwap-CC-BY:workbench", "workbench"); p.at("work", 300, 240, 30, 0, "BlendSwap-CC-BY:bike", "bicycle"); p.by("work", 'N', 270, "Scopia:Step ladder", "step ladder");
    Rooms.desk(p, "office", 170, 330, 180, true); p.by("office", 'E', 250, "filledBookcase", "bookcase"); p.by("office", 'W', 300, "KatorLegaz:filing-cabinet", "filing cabinet");
    p.by("parts", 'W', 190, "Scopia:Shelves", "shelf"); p.by("parts", 'E', 190, "Scopia:Shelves", "shelf"); p.by("parts", 'S', 90, "Scopia:cardboard-box", "cardboard box"); p.by("parts", 'S', 180, "Scopia:cardboard-box", "cardboard box");
    p.by("paint", 'S', 200, "BlendSwap-CC-0:table", "table"); p.by("paint", 'E', 100, "BlendSwap-CC-0:barrel", "barrel"); p.by("paint", 'E', 200, "BlendSwap-CC-0:fireExtinguisher", "fire extinguisher");
    p.note("shop", 'N', 330, 170, "price list", 6.5, "TYRE CHANGE 14\nBRAKES 22\nFULL SERVICE 79", PAPER, INK);
    p.note("shop", 'N', 455, 165, "notice", 6, "OPEN TUE - SAT\n10 - 17:30", PAPER, RED);
    p.note("shop", 'E', 150, 165, "notice", 9, "CASH OR CARD", PAPER, NAVY);
    p.note("work", 'E', 90, 165, "notice", 7, "WEAR EYE\nPROTECTION", YELLOW, INK); p.note("work", 'E', 370, 165, "notice", 6.5, "MAX LOAD 300 KG", PAPER, RED);
    p.note("office", 'N', 270, 160, "card", 6, "ALARM 4482", PAPER, INK); p.note("office", 'S', 170, 165, "note", 6.5, "CALL MR BRANDT\n0177 402 95", YELLOW, INK);
    p.note("parts", 'N', 110, 165, "notice", 6, "SPOKES C3\nCHAINS C5", PAPER, INK); p.note("paint", 'N', 355, 165, "notice", 7, "NO SMOKING", PAPER, RED); p.note("paint", 'N', 100, 165, "notice", 6.5, "DRYING TIME\n36 HOURS", PAPER, NAVY);
    p.plate("work", "parts", "PARTS", true, 9, SLATE, PAPER); p.plate("work", "paint", "PAINT SHOP", true, 9, SLATE, PAPER); p.plate("shop", "work", "WORKSHOP", true, 9, SLATE, PAPER);
  }
  static void workshopPhotos(Place p) {
    p.eye = 155;
    p.photo("shop", .1, .9, .6, .1, 5); p.photo("shop", .55, .5, .62, 0, 2);
    p.photo("work", .1, .9, .7, .2, 6); p.photo("work", .5, .55, 1, .55, 3);
    p.photo("office", .15, .12, .6, .95, 6); p.photo("office", .55, .7, .78, 0, 2); p.photo("parts", .5, .1, .5, .9, 8); p.photo("parts", .4, .75, .66, 0, 2);
    p.photo("paint", .15, .15, .75, .9, 8); p.photo("paint", .3, .75, .5, 0, 2);
  }

  /** Held: a hotel floor with alike rooms; numbers beside the doors. */
  static void hotel(Place p) {
    p.title = "hotel floor with three alike guest rooms, breakfast room and linen room";
    p.area("corridor", "corridor", 0, 400, 1180, 550, "Red tiles", PALE);
    p.area("r21", "bedroom", 0, 0, 360, 400, "Wooden floor", WARM); p.area("r22", "bedroom", 360, 0, 720, 400, "Wooden floor", WARM); p.area("r23", "bedroom", 720, 0, 1080, 400, "Wooden floor", WARM);
    p.area("breakfast", "dining room", 0, 550, 520, 960, "Old wooden floor", PALE); p.area("linen", "storeroom", 520, 550, 760, 960, "Grey tiles", PALER); p.area("bath", "bathroom", 760, 550, 1060, 960, "Beige tiles", "Beige tiles");
    p.walls();
    p.door("corridor", "r21", 180); p.door("corridor", "r22", 180); p.door("corridor", "r23", 180); p.door("corridor", "breakfast", 260); p.door("corridor", "linen", 110); p.door("corridor", "bath", 150);
    p.hole("corridor", 'W', 75, "frontDoor");
    for (String b : new String[] {"r21", "r22", "r23"}) { Rooms.bedroom(p, b, 'N', 4); p.hole(b, 'N', 62, "window85x163"); p.by(b, 'E', 300, "BlendSwap-CC-BY:simpleDesk", "desk", .8); }
    p.table("breakfast", 130, 270, "KatorLegaz:cafe-table", "table", "chair2", 2); p.table("breakfast", 390, 270, "KatorLegaz:cafe-table", "table", "chair2", 2); p.by("breakfast", 'S', 260, "dresser", "sideboard", 1.1); p.up("breakfast", 'S', 300, 72, "Scopia:Coffee machine", "coffee machine"); p.up("breakfast", 'S', 220, 72, "Scopia:Toaster", "toaster");
    p.by("linen", 'S', 120, "Scopia:Shelves", "shelf"); p.by("linen", 'E', 200, "clothesWasher", "washing machine"); p.by("linen", 'E', 280, "Scopia:clothes-basket", "laundry basket");
    Rooms.bathroom(p, "bath", 'S', true);
    p.plate("corridor", "r21", "21", false, 10, NAVY, PAPER); p.plate("corridor", "r22", "22", false, 10, NAVY, PAPER); p.plate("corridor", "r23", "23", false, 10, NAVY, PAPER);
    p.plate("corridor", "breakfast", "BREAKFAST ROOM", true, 9, NAVY, PAPER); p.plate("corridor", "linen", "LINEN", true, 9, NAVY, PAPER); p.plate("corridor", "bath", "BATHROOM", true, 9, NAVY, PAPER);
    p.note("corridor", 'E', 75, 165, "notice", 7, "NIGHT BELL\nDIAL 9", PAPER, INK);
    p.note("r21", 'S', 80, 160, "card", 6, "WIFI 21\nAMBER-3364", PAPER, INK); p.note("r22", 'S', 80, 160, "card", 6, "WIFI 22\nCORAL-9105", PAPER, INK); p.note("r23", 'S', 80, 160, "card", 6, "MINIBAR\nWATER 2.50\nBEER 4.20", PAPER, INK);
    p.note("breakfast", 'E', 310, 165, "notice", 7, "BREAKFAST\n6:45 - 10:00", PAPER, INK); p.note("breakfast", 'E', 150, 165, "notice", 7, "BUFFET 17.50", YELLOW, INK); p.note("breakfast", 'W', 150, 165, "notice", 6.5, "NO DOGS PLEASE", PAPER, RED);
    p.note("linen", 'W', 180, 165, "notice", 6.5, "WASH AT 60 C", PAPER, RED); p.note("bath", 'W', 80, 165, "notice", 6, "TOWELS\nCHANGED DAILY", PAPER, NAVY);
  }
  static void hotelPhotos(Place p) {
    p.eye = 162;
    p.photo("corridor", .14, .92, .22, .05, 0); p.photo("corridor", .75, .5, 1, .5, 1);
    p.photo("r21", .85, .92, .4, .1, 9); p.photo("r22", .85, .92, .4, .1, 9); p.photo("r23", .85, .92, .4, .1, 9); p.photo("r21", .55, .45, .2, 1, 3); p.photo("r23", .55, .45, .2, 1, 3);
    p.photo("breakfast", .1, .1, .7, .9, 8); p.photo("breakfast", .4, .45, 1, .55, 2); p.photo("linen", .2, .12, .7, .9, 9); p.photo("bath", .85, .08, .3, .9, 12);
  }
  static void hotelWalk(Place p) {
    p.eye = 150;
    p.start("corridor", .05, .5, 270);
    p.to("corridor", .12, .5); p.pan(-60, 70); p.enter("corridor", "r21", .6, .6); p.pan(-300, 65);
    p.enter("r21", "corridor", .25, .5); p.enter("corridor", "breakfast", .5, .35); p.pan(320, 65);
    p.enter("breakfast", "corridor", .36, .5); p.enter("corridor", "r22", .6, .6); p.pan(-300, 65);
    p.enter("r22", "corridor", .5, .5); p.enter("corridor", "linen", .5, .4); p.pan(-220, 65);
    p.enter("linen", "corridor", .65, .5); p.to("corridor", .82, .5);
  }
}
