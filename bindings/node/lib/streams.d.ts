import { Entry, Home, Session, Sync } from "./index";

export interface StreamWriter {
  readonly id: string;
  readonly bytes: number;
  write(piece: string | Uint8Array): Promise<number>;
  isCancelled(): Promise<boolean>;
  end(entry?: Entry, options?: { state?: "done" | "cancelled" }): Promise<string | null>;
}

/** Pieces of an answer as they come, in a log that readers follow from any byte. */
export class ResumableStreams {
  constructor(home: Home, session: Session | string);
  create(id: string, options?: { sync?: Sync }): Promise<StreamWriter>;
  resume(id: string, options?: { sync?: Sync }): Promise<StreamWriter>;
  cancel(id: string): Promise<void>;
  isCancelled(id: string): Promise<boolean>;
  read(id: string, options?: { from?: number; signal?: AbortSignal }): AsyncGenerator<Buffer>;
}
