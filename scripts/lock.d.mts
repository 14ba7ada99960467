export function identifyProcess(pid: number): string;
export function isRunning(identity: string): boolean;
export function tryLock(folder: string): Promise<(() => Promise<void>) | undefined>;
export function withLock<Result>(
  folder: string,
  work: () => Promise<Result>,
  onWait?: () => void,
): Promise<Result>;
