/** What a page gets: the document that `hamiltree.view.page.document` writes. */

export interface ArrayRef {
  at: number;
  type: "float64" | "float32" | "uint32" | "int32" | "uint16";
  shape: number[];
  low?: ArrayRef;
  step?: ArrayRef;
}

export type Vector = [number, number, number];
/** x, y, z, then a unit quaternion, scalar first. */
export type FrameData = [number, number, number, number, number, number, number];
/** Quantity, value, explanation. */
export type Row = [string, string, string];

export interface JointData {
  name: string;
  kind: string;
  parent: number;
  child: number;
  onParent: FrameData;
  onChild: FrameData;
  axes: { kind: "turn" | "slide" | "screw"; axis: Vector; at: Vector }[];
  coordinates: string[];
  closesLoop: boolean;
}

export interface ConnectorData {
  kind: string;
  name: string;
  bodies: [number, number];
  points: [Vector, Vector];
  length: number | null;
}

export interface LoadData {
  kind: string;
  name: string;
  body: number;
  at: Vector;
  force: Vector | null;
  torque: Vector | null;
  axes: "world" | "body";
}

export interface SceneData {
  name: string;
  bodies: string[];
  colors: string[];
  size: number;
  thickness: number;
  gravity: Vector;
  centres: ArrayRef;
  reach: ArrayRef;
  solids: { facts: ArrayRef; size: ArrayRef; frame: ArrayRef; color: ArrayRef };
  meshes: { vertices: ArrayRef; triangles: ArrayRef }[];
  particles: {
    body: ArrayRef;
    position: ArrayRef;
    radius: ArrayRef;
    kind: ArrayRef;
    bonds: ArrayRef;
    kinds: string[];
    colors: string[];
  } | null;
  joints: JointData[];
  connectors: ConnectorData[];
  loads: LoadData[];
}

export interface MotionData {
  t: ArrayRef;
  position?: ArrayRef;
  quaternion?: ArrayRef;
  velocity?: ArrayRef;
  omega?: ArrayRef;
  smooth?: boolean;
  error?: number;
}

export interface CoordinatesData {
  t: ArrayRef;
  names: string[];
  left_out: number;
  units: string[];
  momentumUnits: string[];
  momentumNames: string[];
  limits?: number[][];
  q: ArrayRef;
  qdot?: ArrayRef;
  p?: ArrayRef;
}

export interface TreeJointData {
  body: number;
  inner: number;
  reversed: boolean;
  onParent: FrameData;
  onChild: FrameData;
  axes: { angular: Vector; linear: Vector; row: number; ratio: number; offset: number }[];
  ball: number | null;
}

export interface KinematicsData {
  coordinates: string[];
  dimensions: ("angle" | "length" | "number")[];
  start: number[];
  joints: TreeJointData[];
}

export interface BodyCard {
  mass: number;
  com: Vector;
  inertia: [Vector, Vector, Vector];
}

export interface ReportLine {
  name: string;
  number: string;
  scale: string;
  verdict: string;
  sentence: string;
}

export interface PageDocument {
  format: number;
  kind: "run" | "hamiltonian" | "model";
  title: string;
  name: string;
  subtitle: string;
  status?: string;
  figures: Row[];
  report?: { verdict: string; lines: ReportLine[] };
  notes: string[];
  samples: number;
  scene: SceneData;
  motion: MotionData;
  kinematics?: KinematicsData | null;
  series: {
    t: ArrayRef;
    channels: { plot: string; name: string; unit: string; values: ArrayRef }[];
  } | null;
  coordinates: CoordinatesData | null;
  residuals: { t: ArrayRef; names: string[]; log: ArrayRef } | null;
  sections: { name: string; columns: string[]; t: ArrayRef; values: ArrayRef }[];
  cards: BodyCard[];
  reactions: { t: ArrayRef; names: string[]; force: ArrayRef; moment: ArrayRef } | null;
}

export const FORMAT = 1;
/** Order of the numbers for kinds and origins of solids. */
export const SOLID_KINDS = ["box", "sphere", "cylinder", "capsule", "mesh"] as const;
export const SOLID_ORIGINS = ["given", "automatic", "stand-in"] as const;
