// For tsc only: what the page uses of xterm.js.
interface Ended { dispose(): void }

export class FitAddon {
  fit(): void;
}
export class Unicode11Addon {}

export class Terminal {
  constructor(options?: Record<string, unknown>);
  readonly rows: number;
  readonly cols: number;
  readonly unicode: { activeVersion: string };
  readonly textarea: HTMLTextAreaElement | undefined;
  options: Record<string, unknown>;
  open(parent: HTMLElement): void;
  loadAddon(addon: FitAddon | Unicode11Addon): void;
  write(data: Uint8Array | string, done?: () => void): void;
  input(data: string): void;
  reset(): void;
  focus(): void;
  dispose(): void;
  onData(listener: (data: string) => void): Ended;
  onBinary(listener: (data: string) => void): Ended;
  onResize(listener: (size: { rows: number, cols: number }) => void): Ended;
}
