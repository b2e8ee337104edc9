//! Classes of ImageNet that are furniture of rooms.

/// Name of the furniture and number of the class in ImageNet's order of 1,000. Names that the object
/// detector knows too are the same.
pub(super) const CLASSES: [(&str, usize); 26] = [
    ("bathtub", 435),
    ("bathtub", 876),
    ("bed", 520),
    ("bed", 564),
    ("bed", 750),
    ("bookcase", 453),
    ("couch", 831),
    ("desk", 526),
    ("dining table", 532),
    ("dishwasher", 534),
    ("keyboard", 527),
    ("lamp", 619),
    ("lamp", 846),
    ("microwave", 651),
    ("oven", 827),
    ("printer", 713),
    ("printer", 742),
    ("refrigerator", 760),
    ("sink", 896),
    ("toilet", 861),
    ("tv", 548),
    ("tv", 598),
    ("tv", 782),
    ("tv", 851),
    ("wardrobe", 894),
    ("washing machine", 897),
];
