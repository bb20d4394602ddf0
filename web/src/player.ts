/** Time: playing, speed, loops and steps. Who wants to know is told. */

export interface Clock {
  start: number;
  end: number;
  frames: ArrayLike<number>;
}

export const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20] as const;
const SHORTEST = 1; // s: a run within these lasts as long as it says
const LONGEST = 600;
const OTHERS_LAST = 15; // s

/** Seconds of the run per second of the clock at speed 1. */
export function naturalPace(duration: number): number {
  return duration >= SHORTEST && duration <= LONGEST ? 1 : duration / OTHERS_LAST || 1;
}

export class Player {
  readonly clock: Clock;
  readonly pace: number;
  time: number;
  isPlaying = false;
  isLooping = true;
  speed = 1;
  private readonly listeners: (() => void)[] = [];

  constructor(clock: Clock) {
    this.clock = clock;
    this.time = clock.start;
    this.pace = naturalPace(clock.end - clock.start);
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  seek(time: number): void {
    this.time = Math.max(this.clock.start, Math.min(this.clock.end, time));
    this.tell();
  }

  toggle(): void {
    this.play(!this.isPlaying);
  }

  play(isPlaying: boolean): void {
    this.isPlaying = isPlaying && this.clock.end > this.clock.start;
    if (this.isPlaying && this.time >= this.clock.end) this.time = this.clock.start;
    this.tell();
  }

  /** Moves on by seconds of the clock on the wall. */
  advance(seconds: number): void {
    if (!this.isPlaying) return;
    const { start, end } = this.clock;
    let time = this.time + seconds * this.speed * this.pace;
    if (time >= end) {
      if (this.isLooping) time = start + ((time - start) % (end - start));
      else {
        time = end;
        this.isPlaying = false;
      }
    }
    this.time = time;
    this.tell();
  }

  /** To the next frame, or the one before. */
  step(direction: 1 | -1): void {
    const { frames } = this.clock;
    this.isPlaying = false;
    let at = this.time;
    if (direction > 0) {
      for (let k = 0; k < frames.length; k++) {
        if (frames[k] > this.time) {
          at = frames[k];
          break;
        }
      }
    } else {
      for (let k = frames.length - 1; k >= 0; k--) {
        if (frames[k] < this.time) {
          at = frames[k];
          break;
        }
      }
    }
    this.seek(at);
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.tell();
  }

  setLooping(isLooping: boolean): void {
    this.isLooping = isLooping;
    this.tell();
  }

  /** The next faster or slower of the usual speeds. */
  changeSpeed(direction: 1 | -1): void {
    const others = SPEEDS.filter((speed) => (speed - this.speed) * direction > 0);
    if (others.length) this.setSpeed(direction > 0 ? others[0] : others[others.length - 1]);
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
