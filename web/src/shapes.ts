/** Unit shapes of extent 1 along x, y and z; round ones have their axis along z. */

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  ConeGeometry,
  CatmullRomCurve3,
  CylinderGeometry,
  IcosahedronGeometry,
  SphereGeometry,
  TorusGeometry,
  TubeGeometry,
  Vector3,
} from "three";

export type ShapeName =
  | "box"
  | "sphere"
  | "fine sphere"
  | "coarse sphere"
  | "coarsest sphere"
  | "coarse cylinder"
  | "cylinder"
  | "cone"
  | "ring"
  | "coil";

const TURNS_PER_WIDTH = 1.6;

const MAKERS: Record<ShapeName, () => BufferGeometry> = {
  box: () => new BoxGeometry(1, 1, 1),
  sphere: () => new SphereGeometry(0.5, 24, 16),
  "fine sphere": () => new SphereGeometry(0.5, 32, 20),
  "coarse sphere": () => roundNormals(new IcosahedronGeometry(0.5, 1)),
  "coarsest sphere": () => roundNormals(new IcosahedronGeometry(0.5, 0)),
  "coarse cylinder": () => new CylinderGeometry(0.5, 0.5, 1, 7, 1, true).rotateX(Math.PI / 2),
  cylinder: () => new CylinderGeometry(0.5, 0.5, 1, 40).rotateX(Math.PI / 2),
  cone: () => new ConeGeometry(0.5, 1, 24).rotateX(Math.PI / 2),
  ring: () => new TorusGeometry(0.4, 0.1, 10, 36),
  coil: () => makeCoil(4),
};

export function makeShape(name: ShapeName): BufferGeometry {
  return MAKERS[name]();
}

/** Normals of a ball, so that few triangles look round. */
function roundNormals(geometry: BufferGeometry): BufferGeometry {
  const position = geometry.getAttribute("position");
  const at = new Vector3();
  const normals = new Float32Array(3 * position.count);
  for (let k = 0; k < position.count; k++) {
    at.fromBufferAttribute(position, k).normalize().toArray(normals, 3 * k);
  }
  geometry.setAttribute("normal", new BufferAttribute(normals, 3));
  return geometry;
}

/** A spring along z from −½ to ½ with straight ends; its wire is round at this length per width. */
export function makeCoil(aspect: number): BufferGeometry {
  const turns = Math.round(Math.max(5, Math.min(16, TURNS_PER_WIDTH * aspect)));
  const points: Vector3[] = [new Vector3(0, 0, -0.5 * aspect)];
  const steps = turns * 12;
  for (let k = 0; k <= steps; k++) {
    const angle = (2 * Math.PI * turns * k) / steps;
    const z = aspect * (-0.4 + (0.8 * k) / steps);
    points.push(new Vector3(0.45 * Math.cos(angle), 0.45 * Math.sin(angle), z));
  }
  points.push(new Vector3(0, 0, 0.5 * aspect));
  const tube = new TubeGeometry(new CatmullRomCurve3(points), steps * 2, 0.075, 7);
  return tube.scale(1, 1, 1 / aspect);
}

/** A surface of triangles with normals: smooth, but sharp at edges of more than forty degrees. */
export function makeMesh(
  vertices: Float32Array,
  triangles: Uint32Array,
  isSmooth: boolean,
): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(vertices, 3));
  geometry.setIndex(new BufferAttribute(triangles, 1));
  if (isSmooth) return creased(geometry);
  geometry.computeVertexNormals();
  return geometry;
}

const CREASE = Math.cos((40 * Math.PI) / 180);

/** Vertices of their own for every triangle; a normal is the mean of those of near faces. */
export function creased(source: BufferGeometry): BufferGeometry {
  const flat = source.toNonIndexed();
  const index = source.getIndex() as BufferAttribute;
  const position = flat.getAttribute("position");
  const faces = position.count / 3;
  const normals = new Float32Array(3 * faces); // by area
  const a = new Vector3();
  const b = new Vector3();
  const c = new Vector3();
  const atVertex = new Map<number, number[]>();
  for (let face = 0; face < faces; face++) {
    a.fromBufferAttribute(position, 3 * face);
    b.fromBufferAttribute(position, 3 * face + 1).sub(a);
    c.fromBufferAttribute(position, 3 * face + 2).sub(a);
    b.cross(c).toArray(normals, 3 * face);
    for (let k = 0; k < 3; k++) {
      const vertex = index.getX(3 * face + k);
      const known = atVertex.get(vertex);
      if (known) known.push(face);
      else atVertex.set(vertex, [face]);
    }
  }
  const found = new Float32Array(9 * faces);
  for (let face = 0; face < faces; face++) {
    const own = new Vector3().fromArray(normals, 3 * face).normalize();
    for (let k = 0; k < 3; k++) {
      const sum = new Vector3();
      for (const other of atVertex.get(index.getX(3 * face + k)) ?? []) {
        const normal = new Vector3().fromArray(normals, 3 * other);
        if (normal.dot(own) >= CREASE * normal.length()) sum.add(normal);
      }
      sum.normalize().toArray(found, 9 * face + 3 * k);
    }
  }
  flat.setAttribute("normal", new BufferAttribute(found, 3));
  return flat;
}
