/** The names under which the generator's `Walk` finds the places of this folder. */
class Scenes {
  static Walk make(String name) { return place(name); }
  static String before(String name) { return null; }
  static double[][] photos(String name) { return place(name).spots.toArray(new double[0][]); }

  /** Light of the ceiling lamps, ambient light and the hour of the day: the generator reads them from properties. */
  private static void light(String ceiling, String fill, int hour) {
    System.setProperty("walk.ceiling", ceiling); System.setProperty("walk.fill", fill); System.setProperty("walk.hour", "" + hour);
  }

  private static Place place(String name) {
    Place p = new Place();
    p.name = name;
    switch (name) {
      case "dev-family": light("0x767676", "0.5", 14); Homes.family(p); Homes.familyPhotos(p); break;
      case "dev-family-walk": light("0x7c7468", "0.45", 10); Homes.family(p); Homes.familyWalk(p); break;
      case "dev-office": light("0x7a7a80", "0.55", 11); Works.office(p); Works.officePhotos(p); break;
      case "dev-office-walk": light("0x7a7a80", "0.5", 16); Works.office(p); Works.officeWalk(p); break;
      case "dev-cafe": light("0x807060", "0.42", 9); Works.cafe(p); Works.cafePhotos(p); break;
      case "held-holiday": light("0x787064", "0.5", 17); Homes.holiday(p); Homes.holidayPhotos(p); break;
      case "held-holiday-walk": light("0x706a60", "0.55", 12); Homes.holiday(p); Homes.holidayWalk(p); break;
      case "held-plain": light("0x787878", "0.55", 13); Homes.plain(p); Homes.plainPhotos(p); break;
      case "held-plain-walk": light("0x707478", "0.5", 15); Homes.plain(p); Homes.plainWalk(p); break;
      case "held-clinic": light("0x7c7e82", "0.55", 10); Works.clinic(p); Works.clinicPhotos(p); break;
      case "held-clinic-walk": light("0x7c7e82", "0.48", 8); Works.clinic(p); Works.clinicWalk(p); break;
      case "held-workshop": light("0x6c6c6c", "0.45", 16); Works.workshop(p); Works.workshopPhotos(p); break;
      case "held-hotel": light("0x807460", "0.42", 19); Works.hotel(p); Works.hotelPhotos(p); break;
      case "held-hotel-walk": light("0x7a7066", "0.5", 11); Works.hotel(p); Works.hotelWalk(p); break;
      default: throw new IllegalArgumentException(name);
    }
    if (p.keys.isEmpty()) { p.start(p.rooms.get(0).id, .5, .5, 0); p.pan(1, 1); }
    return p;
  }
}
