"""Pictures of a run on Matplotlib axes: bodies at a time, paths, ground, scale."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.view.picture.camera import SIDES, Camera, flat_side, look_along, look_at
from hamiltree.view.picture.ground import ground_level, ground_lines, shadow
from hamiltree.view.picture.painter import Painter, place
from hamiltree.view.scene import Scene, scene_of_run

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

MOST_PATHS = 24  # of more bodies, so many evenly chosen ones leave a path
MAX_PATH_POINTS = 4000
FAR_MOTION = 4.0  # of the size of the model: beyond it, the picture shows the bodies, not the way
FRAMED_SAMPLES = 24  # at which the bodies are looked at to choose the camera
MAX_FRAMED = 1_000_000  # points of all these samples
MARGIN = 0.05  # around everything, of its extent
SHORT_PATH = 12.0  # of the size of the model: a longer path is drawn paler
DARKEST, PALEST = 0.7, 0.18  # opacity of paths
GRID, SHADOW = "#d9dee4", "#e4e8ec"


class Portrait:
    """A run, ready to be drawn at any of its times."""

    def __init__(self, run: Trajectory):
        """The scene, its surfaces and the direction upwards."""
        self.run = run
        self.scene: Scene = scene_of_run(run)
        self.painter = Painter(self.scene)
        self.poses = run.poses.values
        self.t = run.t.values
        g = np.array(self.scene.gravity)
        self.has_ground = bool(g.any())
        self.up = -g / np.linalg.norm(g) if self.has_ground else np.array([0.0, 0.0, 1.0])

    @cached_property
    def paths(self) -> np.ndarray:
        """(samples, bodies, 3): centres of mass, of a few bodies at a few times."""
        count = self.poses.shape[1]
        chosen = np.linspace(0, count - 1, min(count, MOST_PATHS)).round().astype(int)
        every = max(1, len(self.t) // MAX_PATH_POINTS)
        kept = self.poses[::every][:, np.unique(chosen)]
        centres = self.scene.centres[np.unique(chosen)]
        bodies = np.arange(kept.shape[1])
        return np.array([place(row, bodies, centres) for row in kept])

    @cached_property
    def framed(self) -> np.ndarray:
        """Points that a camera must show: the bodies over the whole motion; of a long way, none."""
        one = len(self.painter.points(self.poses[0]))
        count = int(np.clip(MAX_FRAMED // max(1, one), 2, FRAMED_SAMPLES))
        few = np.unique(np.linspace(0, len(self.t) - 1, count).round().astype(int))
        points = np.concatenate([self.painter.points(self.poses[k]) for k in few])
        points = np.concatenate([points, self.paths.reshape(-1, 3)])
        extent = float(np.linalg.norm(np.ptp(points, axis=0)))
        return points if extent <= FAR_MOTION * self.scene.size else np.zeros((0, 3))

    @property
    def side(self) -> str | None:
        """From which side a flat motion is seen whole."""
        return flat_side(self.paths) if len(self.framed) else None

    def shown(self, poses: np.ndarray) -> np.ndarray:
        return self.framed if len(self.framed) else self.painter.points(poses)

    def camera(self, poses: np.ndarray, side: str | None = None) -> Camera:
        """Along an axis of the world, or in perspective."""
        return look_at(self.shown(poses), self.up) if side is None else look_along(side)

    def sample(self, time: float) -> int:
        """The recorded sample next to a time."""
        return int(np.abs(self.t - time).argmin())

    # ---- on axes ---------------------------------------------------------------------------------
    def draw(self, axes: Any, poses: np.ndarray, side: str | None, has_paths: bool = True) -> None:
        """The bodies at these poses; from a side with coordinates, else in perspective."""
        camera = self.camera(poses, side)
        extent = self.extent(camera, poses)
        if side is None:
            self.draw_ground(axes, camera, poses)
            axes.set_axis_off()
            draw_scale(axes, extent)
            draw_triad(axes, camera)
        else:
            across, upward = SIDES[side]
            axes.set_xlabel(f"{across} / m")
            axes.set_ylabel(f"{upward} / m")
            axes.locator_params(nbins=6)
        if has_paths:
            self.draw_paths(axes, camera)
        self.draw_bodies(axes, camera, poses)
        # equal scales; the axes become wider or higher to fill their place
        axes.set_aspect("equal", adjustable="datalim")
        axes.dataLim.set_points(extent)
        axes.margins(0.0)
        axes.autoscale_view()

    def extent(self, camera: Camera, poses: np.ndarray) -> np.ndarray:
        """Two corners of a picture with everything inside."""
        flat, _ = camera.project(self.shown(poses))
        low, high = flat.min(axis=0), flat.max(axis=0)
        room = MARGIN * float((high - low).max()) or 1.0
        return np.array([low - room, high + room])

    def draw_bodies(self, axes: Any, camera: Camera, poses: np.ndarray) -> None:
        """All polygons as one collection, in their order."""
        from matplotlib.collections import PolyCollection

        found = self.painter.polygons(poses, camera)
        axes.add_collection(
            PolyCollection(
                found.corners,
                facecolors=found.faces,
                edgecolors=found.edges,
                linewidths=found.widths,
                joinstyle="round",
                capstyle="round",
                zorder=3,
            ),
            autolim=False,
        )

    def draw_paths(self, axes: Any, camera: Camera) -> None:
        """Lines of the centres of mass, behind the bodies."""
        import matplotlib as mpl

        count = self.paths.shape[1]
        lengths = np.linalg.norm(np.diff(self.paths, axis=0), axis=-1).sum(axis=0)
        # a path that fills the picture is paler
        many = float(lengths.max()) / (SHORT_PATH * self.scene.size)
        opacity = max(PALEST, DARKEST / max(1.0, many))
        for k in range(count):
            flat, _ = camera.project(self.paths[:, k])
            color = mpl.colormaps["viridis"](0.9 * k / max(1, count - 1))
            axes.plot(*flat.T, lw=0.5, alpha=opacity, color=color, zorder=2)  # fmt: skip

    def draw_ground(self, axes: Any, camera: Camera, poses: np.ndarray) -> None:
        """Squares below everything, and the shadows of the bodies."""
        from matplotlib.collections import LineCollection, PolyCollection

        if not self.has_ground:
            return
        points = self.shown(poses)
        level = ground_level(points, self.up)
        dark = shadow(self.painter, poses, self.up, level)
        if len(dark):
            corners = list(camera.project(dark)[0])
            axes.add_collection(
                PolyCollection(corners, facecolors=SHADOW, edgecolors=SHADOW, linewidths=0.3,
                               zorder=0),
                autolim=False,
            )  # fmt: skip
        lines = list(camera.project(ground_lines(points, self.up, level))[0])
        axes.add_collection(LineCollection(lines, colors=GRID, linewidths=0.6, zorder=1),
                            autolim=False)  # fmt: skip


# ---- scale and directions ------------------------------------------------------------------------
def draw_scale(axes: Any, extent: np.ndarray) -> None:
    """A bar of a round length, true at the middle of the picture."""
    from hamiltree.view.picture.ground import round_length

    width = float(extent[1, 0] - extent[0, 0])
    length = round_length(0.2 * width)
    transform = axes.get_xaxis_transform()
    x = float(extent[1, 0])
    axes.plot([x - length, x], [0.03, 0.03], color="0.25", lw=1.6, transform=transform,
              solid_capstyle="butt", zorder=5)  # fmt: skip
    axes.text(x - 0.5 * length, 0.045, f"{length:g} m", ha="center", va="bottom",
              fontsize="small", color="0.25", transform=transform, zorder=5)  # fmt: skip


def draw_triad(axes: Any, camera: Camera) -> None:
    """Directions of x, y and z in a corner."""
    for k, name in enumerate("xyz"):
        arm = np.eye(3)[k]
        tip = 24.0 * np.array([arm @ camera.right, arm @ camera.up])
        if np.linalg.norm(tip) < 4.0:
            continue
        axes.annotate("", tip, (0, 0), xycoords=_corner(axes), textcoords=_corner(axes),
                      arrowprops={"arrowstyle": "-|>", "color": "0.35", "lw": 0.9,
                                  "mutation_scale": 7, "shrinkA": 0, "shrinkB": 0})  # fmt: skip
        axes.annotate(name, 1.35 * tip, xycoords=_corner(axes), ha="center", va="center",
                      fontsize="small", color="0.35")  # fmt: skip


def _corner(axes: Any) -> Any:
    """Coordinates in points from the lower left corner of the axes."""
    from matplotlib.transforms import Affine2D, ScaledTranslation

    points = Affine2D().scale(1.0 / 72.0) + axes.figure.dpi_scale_trans
    return points + ScaledTranslation(0.07, 0.09, axes.transAxes)
