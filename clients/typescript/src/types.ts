/** Short names of the contract's types. `components["schemas"]` has all of them. */

import type { components } from "./generated/schema.js";

export type { components, paths } from "./generated/schema.js";

type Schemas = components["schemas"];

export type Answer = Schemas["Answer"];
export type ApiErrorCode = Schemas["ApiErrorCode"];
export type Citation = Schemas["Citation"];
export type Correction = Schemas["Correction"];
export type Diff = Schemas["Diff"];
export type DocumentCorrections = Schemas["DocumentCorrections"];
export type Event = Schemas["Event"];
export type EventType = Schemas["EventType"];
export type Me = Schemas["Me"];
export type NewCorrection = Schemas["NewCorrection"];
export type NewScan = Schemas["NewScan"];
export type NewSpace = Schemas["NewSpace"];
export type Scan = Schemas["Scan"];
export type ScanStatus = Schemas["ScanStatus"];
export type ScanWithDocument = Schemas["ScanWithDocument"];
export type SearchHit = Schemas["SearchHit"];
export type Skill = Schemas["Skill"];
export type Space = Schemas["Space"];
export type SpaceChanges = Schemas["SpaceChanges"];
export type SpaceDocument = Schemas["SpaceDocument"];
export type SpaceWithDocument = Schemas["SpaceWithDocument"];
export type Transcript = Schemas["Transcript"];
export type UploadInstructions = Schemas["UploadInstructions"];
export type Wallet = Schemas["Wallet"];
