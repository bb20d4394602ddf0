/** The picture: renderer, lights, ground, camera. Drawn on demand. */

import {
  AmbientLight,
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  Group,
  HemisphereLight,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  OrthographicCamera,
  PCFShadowMap,
  PerspectiveCamera,
  PlaneGeometry,
  Quaternion,
  Scene,
  ShadowMaterial,
  SRGBColorSpace,
  Vector3,
  WebGLRenderer,
} from "three";

import { fromZ, scale } from "./algebra.ts";
import { cameraAxes, cameraPosition, halfHeight } from "./cameras.ts";
import type { CameraState } from "./cameras.ts";
import type { Vector } from "./document.ts";
import type { Palette } from "./theme.ts";

const SHADOW_PIXELS = 2048;
const GRID_CELLS = 20; // to either side

export class Stage {
  readonly scene = new Scene();
  readonly canvas: HTMLCanvasElement;
  readonly renderer: WebGLRenderer;
  readonly up: Vector;
  readonly ground = new Group();
  width = 1;
  height = 1;
  private readonly perspective = new PerspectiveCamera();
  private readonly orthographic = new OrthographicCamera();
  private readonly sky = new HemisphereLight(0xffffff, 0x888888, 1.9);
  private readonly sun = new DirectionalLight(0xffffff, 2.3);
  private readonly fill = new DirectionalLight(0xffffff, 0.5);
  private grid: LineSegments | null = null;

  constructor(canvas: HTMLCanvasElement, up: Vector) {
    this.canvas = canvas;
    this.up = up;
    this.renderer = new WebGLRenderer({
      canvas,
      antialias: true,
      alpha: true,
      preserveDrawingBuffer: true,
    });
    this.renderer.outputColorSpace = SRGBColorSpace;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.sky.position.set(...up);
    this.scene.add(this.sky, this.sun, this.sun.target, this.fill, new AmbientLight(0xffffff, 0.25));
    this.scene.add(this.ground);
  }

  get camera(): PerspectiveCamera | OrthographicCamera {
    return this.isOrthographic ? this.orthographic : this.perspective;
  }

  private isOrthographic = false;

  /** Lights around the origin of the picture, for what is within a radius. */
  light(radius: number): void {
    const state = { azimuth: -0.5, elevation: 1.0, distance: 1, isOrthographic: false };
    const side = cameraAxes({ ...state, target: [0, 0, 0] }, this.up).back;
    this.sun.position.set(...scale(2.5 * radius, side));
    this.fill.position.set(...scale(-3 * radius, side));
    const shadow = this.sun.shadow;
    this.sun.castShadow = true;
    shadow.mapSize.set(SHADOW_PIXELS, SHADOW_PIXELS);
    shadow.radius = 3;
    shadow.normalBias = 0.004 * radius;
    shadow.bias = -0.0005;
    const camera = shadow.camera;
    camera.left = camera.bottom = -1.5 * radius;
    camera.right = camera.top = 1.5 * radius;
    camera.near = 0.1 * radius;
    camera.far = 6 * radius;
    camera.updateProjectionMatrix();
  }

  /** A grid of round lengths that fades out, and a plane that takes shadows. */
  buildGround(radius: number): void {
    const cell = roundLength((3.2 * radius) / GRID_CELLS);
    const points: number[] = [];
    const alphas: number[] = [];
    const edge = GRID_CELLS * cell;
    const addLine = (a: number[], b: number[], strength: number): void => {
      const pieces = 24;
      for (let k = 0; k < pieces; k++) {
        for (const s of [k / pieces, (k + 1) / pieces]) {
          const x = a[0] + s * (b[0] - a[0]);
          const y = a[1] + s * (b[1] - a[1]);
          points.push(x, y, 0);
          alphas.push(strength * Math.max(0, 1 - Math.hypot(x, y) / edge) ** 1.5);
        }
      }
    };
    for (let k = -GRID_CELLS; k <= GRID_CELLS; k++) {
      const strength = k % 5 === 0 ? 1 : 0.42;
      addLine([k * cell, -edge], [k * cell, edge], strength);
      addLine([-edge, k * cell], [edge, k * cell], strength);
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(Float32Array.from(points), 3));
    const colors = Float32Array.from(alphas.flatMap((alpha) => [1, 1, 1, alpha]));
    geometry.setAttribute("color", new BufferAttribute(colors, 4));
    const material = new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
    this.grid = new LineSegments(geometry, material);
    const plane = new Mesh(
      new PlaneGeometry(2 * edge, 2 * edge),
      new ShadowMaterial({ opacity: 0.22, depthWrite: false }),
    );
    plane.receiveShadow = true;
    plane.position.z = -0.001 * radius;
    this.ground.add(plane, this.grid);
    const [w, x, y, z] = fromZ(this.up);
    this.ground.quaternion.copy(new Quaternion(x, y, z, w));
  }

  paint(palette: Palette): void {
    this.sky.color = new Color(palette.sky);
    this.sky.groundColor = new Color(palette.earth);
    if (this.grid) (this.grid.material as LineBasicMaterial).color = new Color(palette.grid);
  }

  resize(width: number, height: number, ratio: number): void {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(this.width, this.height, false);
  }

  /** Draws the scene as a camera sees it. */
  draw(state: CameraState, far: number): void {
    this.isOrthographic = state.isOrthographic;
    const position = cameraPosition(state, this.up);
    const camera = this.camera;
    const half = halfHeight(state, this.width, this.height);
    const aspect = this.width / this.height;
    if (camera instanceof PerspectiveCamera) {
      camera.fov = (2 * Math.atan(half / state.distance) * 180) / Math.PI;
      camera.aspect = aspect;
      camera.near = Math.max(state.distance - far, 0.005 * state.distance);
    } else {
      camera.top = half;
      camera.bottom = -half;
      camera.left = -half * aspect;
      camera.right = half * aspect;
      camera.near = state.distance - far;
    }
    camera.far = state.distance + far;
    camera.updateProjectionMatrix();
    camera.position.set(...position);
    camera.up.set(...cameraAxes(state, this.up).up);
    camera.lookAt(new Vector3(...state.target));
    this.renderer.render(this.scene, camera);
  }
}

/** 1, 2 or 5 times a power of ten, near a length. */
export function roundLength(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length));
  const factor = length / power;
  return power * (factor < 1.5 ? 1 : factor < 3.5 ? 2 : factor < 7.5 ? 5 : 10);
}
