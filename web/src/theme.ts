/** Dark and light: colours of the picture and of plots; those of the page itself are in the style. */

export type ThemeName = "dark" | "light";

export interface Palette {
  top: string; // of the background
  bottom: string;
  sky: string;
  earth: string;
  grid: string;
  ink: string;
  faint: string;
  accent: string;
  lines: string[];
}

export const PALETTES: Record<ThemeName, Palette> = {
  dark: {
    top: "#1d2636",
    bottom: "#0d121b",
    sky: "#f4f7ff",
    earth: "#48526a",
    grid: "#8294b4",
    ink: "#e6ebf2",
    faint: "#3a4559",
    accent: "#ffb454",
    lines: ["#7cc4ff", "#ff9d7a", "#8fdba6", "#ffd479", "#c9a7f0", "#6fd6d2", "#f58fb0", "#b8c4d6"],
  },
  light: {
    top: "#ffffff",
    bottom: "#e6ebf1",
    sky: "#ffffff",
    earth: "#b8bec9",
    grid: "#7c899c",
    ink: "#1c2530",
    faint: "#d5dbe3",
    accent: "#b3570a",
    lines: ["#1f6fb2", "#c8502b", "#2f8554", "#9a6b00", "#7146a8", "#0f7f7c", "#b8315f", "#566274"],
  },
};

export function preferredTheme(): ThemeName {
  return matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
}

export function prefersReducedMotion(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
