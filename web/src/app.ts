/** The whole of a page in one element: picture, timeline, plots, panels, and what joins them. */

import { lookAlong } from "./cameras.ts";
import type { ColorMode } from "./coloring.ts";
import type { Arrays } from "./decode.ts";
import { button, element } from "./dom.ts";
import { FORMAT } from "./document.ts";
import type { PageDocument, Vector } from "./document.ts";
import { listenToKeys } from "./keyboard.ts";
import { Labels } from "./labels.ts";
import { Details, buildFigures } from "./panels.ts";
import { Picture } from "./picture.ts";
import { Player } from "./player.ts";
import { PlotColumn } from "./plot_column.ts";
import { listenToPointer } from "./pointer.ts";
import { project } from "./cameras.ts";
import { buildReport } from "./report.ts";
import { Selection } from "./selection.ts";
import { shortcutsOf } from "./shortcuts.ts";
import type { Shortcut } from "./keyboard.ts";
import { buildSliders } from "./sliders.ts";
import { Film, canFilm, download, fileName, pngOf } from "./snapshot.ts";
import { PALETTES, preferredTheme } from "./theme.ts";
import type { Palette, ThemeName } from "./theme.ts";
import { buildTimeline } from "./timeline.ts";
import { buildToolbar } from "./toolbar.ts";
import { buildTree } from "./tree.ts";
import { World } from "./world.ts";

const MAX_PIXEL_RATIO = 2;

export interface Settings {
  theme?: ThemeName;
  time?: number;
  keys?: HTMLElement | Window; // who listens to keys; the page itself
}

export class App {
  readonly root: HTMLElement;
  readonly world: World;
  readonly player: Player;
  readonly picture: Picture;
  readonly plots: PlotColumn;
  readonly selection = new Selection();
  readonly labels: Labels;
  readonly shortcuts: Shortcut[];
  theme: ThemeName;
  private readonly data: PageDocument;
  private readonly details: Details;
  private readonly box: HTMLElement;
  private readonly legend = element("div", { class: "legend" });
  private readonly help: HTMLDialogElement;
  private recording: Film | null = null;
  private isDirty = true;
  private lastTick = 0;
  private isReady = false;
  private isStopped = false;

  constructor(root: HTMLElement, data: PageDocument, arrays: Arrays, settings: Settings = {}) {
    if (data.format !== FORMAT) throw new Error(`format ${data.format} of the page is not known`);
    this.root = root;
    this.data = data;
    this.theme = settings.theme ?? preferredTheme();
    this.world = new World(data, arrays);
    const { motion } = this.world;
    this.player = new Player({ start: motion.start, end: motion.end, frames: motion.frames.t });
    const canvas = element("canvas", { class: "picture", label: `Moving picture of ${data.name}` });
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    this.box = element("div", { class: "stage" }, [canvas]);
    this.picture = new Picture(canvas, this.world, arrays, this.selection, this.palette);
    this.plots = new PlotColumn(data, arrays, this.player, this.palette);
    this.details = new Details(this.world, arrays, this.selection);
    this.labels = new Labels(this.picture);
    this.shortcuts = shortcutsOf(this);
    this.help = this.buildHelp();
    this.layOut();
    this.listen(settings.keys ?? window);
    this.setTheme(this.theme);
    if (settings.time !== undefined) this.player.seek(settings.time);
  }

  get palette(): Palette {
    return PALETTES[this.theme];
  }

  private get hasPicture(): boolean {
    return this.world.bodies > 0;
  }

  // ---- layout ------------------------------------------------------------------------------------
  private layOut(): void {
    const { data } = this;
    const left = element("aside", { class: "left", label: "Parts" });
    if (data.kinematics && this.world.q) {
      const { size } = data.scene;
      left.append(buildSliders(data.kinematics, this.world.q, size, () => this.refresh()));
    }
    left.append(this.details.root, buildTree(data.scene, this.selection));
    const report = buildReport(data);
    const right = element("aside", { class: "right", label: "Report, figures and plots" }, [
      ...(report ? [report] : []),
      buildFigures(data),
      this.plots.root,
    ]);
    this.box.append(this.labels.root, buildToolbar(this), this.legend);
    const main = element("main", {}, this.hasPicture ? [left, this.box, right] : [right]);
    this.root.classList.add("hamiltree");
    this.root.classList.toggle("plots-only", !this.hasPicture);
    this.root.replaceChildren(this.buildHeader(), main);
    const hasTime = this.player.clock.end > this.player.clock.start;
    const unit = data.kind === "run" ? "s" : "";
    if (hasTime) this.root.append(buildTimeline(this.player, unit));
    this.root.append(this.help);
  }

  private buildHeader(): HTMLElement {
    const side = (name: string): void => {
      this.root.classList.toggle(`no-${name}`);
      this.resize();
    };
    return element("header", {}, [
      element("h1", { text: this.data.name }),
      element("p", { text: this.data.subtitle }),
      element("div", { class: "group" }, [
        button("parts", "Show or hide the parts (B)", () => side("left")),
        button("plots", "Show or hide the plots (P)", () => side("right")),
        button("◐", "Dark or light (D)", () => this.switchTheme()),
        button("?", "Keys (?)", () => this.help.showModal()),
      ]),
    ]);
  }

  private buildHelp(): HTMLDialogElement {
    const rows = this.shortcuts.map(({ keys, label }) =>
      element("tr", {}, [
        element("th", { text: keys.map((key) => (key === " " ? "space" : key)).join("  ") }),
        element("td", { text: label }),
      ]),
    );
    const made = element("dialog", { class: "help", label: "Keys" }, [
      element("h2", { text: "Keys and gestures" }),
      element("table", {}, [element("tbody", {}, rows)]),
      element("p", { text: "Drag to turn, shift-drag or two fingers to move, wheel or pinch to zoom. Click a body or joint to read its values. In a plot: click to jump, drag to zoom, double click for all." }),
      button("close", "Close", () => made.close()),
    ]);
    return made;
  }

  // ---- events ------------------------------------------------------------------------------------
  private listen(keys: HTMLElement | Window): void {
    this.player.onChange(() => this.refresh());
    this.selection.onChange(() => {
      if (this.picture.hasTrails) this.picture.setTrails(true);
      this.refresh();
    });
    listenToKeys(keys, this.shortcuts);
    listenToPointer(
      this.picture,
      () => this.refresh(),
      (x, y) => this.click(x, y),
    );
    new ResizeObserver(() => this.resize()).observe(this.hasPicture ? this.box : this.root);
  }

  private click(x: number, y: number): void {
    const owner = this.picture.pick(x, y);
    if (owner && owner.kind !== "none") this.selection.choose(owner.kind, owner.index);
    else if (this.selection.isAny) this.selection.choose("none", -1);
  }

  /** Begins to draw; plots are made when their elements have a size. */
  start(): void {
    this.resize();
    this.resetCamera();
    this.plots.showFirst();
    this.isReady = true;
    const tick = (now: number): void => {
      if (this.isStopped) return;
      const seconds = this.lastTick ? Math.min(0.25, (now - this.lastTick) / 1000) : 0;
      this.lastTick = now;
      this.player.advance(seconds);
      if (this.isDirty) this.draw();
      requestAnimationFrame(tick);
    };
    this.draw();
    requestAnimationFrame(tick);
  }

  /** Ends drawing for good and gives its memory back. */
  stop(): void {
    this.isStopped = true;
    this.picture.stage.renderer.dispose();
    this.picture.stage.renderer.forceContextLoss();
  }

  refresh(): void {
    this.isDirty = true;
  }

  change(act: () => void): void {
    act();
    this.refresh();
  }

  resize(): void {
    const { clientWidth, clientHeight } = this.box;
    if (this.hasPicture && clientWidth && clientHeight) {
      const ratio = Math.min(devicePixelRatio, MAX_PIXEL_RATIO);
      this.picture.resize(clientWidth, clientHeight, ratio);
    }
    if (this.isReady) this.plots.resize();
    this.refresh();
  }

  draw(): void {
    this.isDirty = false;
    const { time } = this.player;
    if (this.hasPicture) {
      this.picture.draw(time, this.player.speed * this.player.pace);
      this.labels.update();
      this.showLegend();
      this.recording?.draw(this.picture.stage.canvas, this.palette);
    }
    this.details.update(time);
    this.plots.update();
    this.root.dataset.drawn = String(Number(this.root.dataset.drawn ?? 0) + 1);
    this.root.dataset.time = String(time);
  }

  // ---- what buttons and keys do ------------------------------------------------------------------
  resetCamera(): void {
    const isOrthographic = this.picture.camera.isOrthographic;
    this.picture.camera = { ...this.picture.homeCamera(), isOrthographic };
    this.refresh();
  }

  lookAlong(axis: "x" | "y" | "z"): void {
    this.picture.camera = lookAlong(this.picture.camera, axis);
    this.picture.frameAll();
    this.refresh();
  }

  setOrthographic(isOrthographic: boolean): void {
    this.picture.camera = { ...this.picture.camera, isOrthographic };
    this.refresh();
  }

  follow(what: null | "all" | number): void {
    if (what === null) this.picture.followed = { kind: "nothing" };
    else this.picture.followed = what === "all" ? { kind: "all" } : { kind: "body", body: what };
    this.refresh();
  }

  setColors(mode: ColorMode): void {
    this.picture.coloring.mode = mode;
    this.refresh();
  }

  private showLegend(): void {
    const legend = this.picture.coloring.legend();
    this.legend.hidden = !legend;
    if (!legend) return;
    this.legend.replaceChildren(
      element("span", { text: legend.title }),
      element("span", { text: legend.low }),
      element("i", { class: "ramp" }),
      element("span", { text: legend.high }),
    );
  }

  switchTheme(): void {
    this.setTheme(this.theme === "dark" ? "light" : "dark");
  }

  setTheme(theme: ThemeName): void {
    this.theme = theme;
    this.root.dataset.theme = theme;
    this.picture.paint(this.palette);
    this.plots.paint(this.palette);
    this.refresh();
  }

  async snapshot(): Promise<Blob> {
    this.draw();
    const blob = await pngOf(this.picture.stage.canvas, this.palette);
    download(blob, fileName(this.data.name, "png"));
    return blob;
  }

  /** Records the motion once from its start to its end. */
  async film(): Promise<Blob | null> {
    const { player, picture } = this;
    if (!canFilm() || this.recording) return null;
    this.root.classList.add("filming");
    const { isLooping } = player;
    player.setLooping(false);
    player.seek(player.clock.start);
    this.recording = new Film(picture.stage.canvas, this.palette);
    player.play(true);
    await new Promise<void>((resolve) => {
      player.onChange(() => {
        if (!player.isPlaying) resolve();
      });
    });
    const blob = await this.recording.stop();
    this.recording = null;
    player.setLooping(isLooping);
    this.root.classList.remove("filming");
    download(blob, fileName(this.data.name, "webm"));
    return blob;
  }

  /** The button or choice with this key in the toolbar. */
  press(key: string): void {
    this.box.querySelector<HTMLElement>(`[data-key="${key}"]`)?.click();
  }

  showHelp(): void {
    this.help.showModal();
  }

  /** Pixels of a point of a body in the picture. */
  pixelOf(body: number, at: Vector): { x: number; y: number; depth: number } {
    const { camera, stage } = this.picture;
    return project(camera, stage.up, this.world.point(body, at), stage.width, stage.height);
  }
}
