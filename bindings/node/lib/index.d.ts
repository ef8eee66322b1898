/// <reference types="node" />
import { Readable, Writable } from "stream";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Entry = { type: string; id?: string; parentId?: string | null; [key: string]: any };
export type StoredEntry = Entry & { id: string; parentId: string | null; timestamp: string };
export type Message = { role: string; content?: any; [key: string]: any };
export type Data = string | Uint8Array;
export type Sync = "each" | "flush" | "none";

export interface SessionInfo {
  id: string; path: string | null; cwd: string; title: string; parent: string; created: string;
  leaf: string | null; first: string | null; status: string | null; modifiedMs: number;
  bytes: number; entries: number; messages: number; archived: boolean;
}
export interface Context {
  messages: Message[]; thinkingLevel: string; models: Record<string, string>;
  injectedTtsrRules: string[]; mode: string; modeData: any;
}
export interface Artifact {
  id: number; session: string; path: string; version: number; size: number; sha256: string;
  mime: string; purpose: string; tags: string[]; created: boolean; updatedMs: number;
}
export interface Memory {
  id: number; type: string; title: string; content: string; tags: string[]; session: string;
  createdMs: number;
}
export interface Hit {
  kind: string; address: string; session: string; entry: string; title: string; project: string;
  role: string; tool: string; createdMs: number; snippet: string; how: string;
}
export interface Shown {
  output: string; truncated: boolean; totalLines: number; totalBytes: number;
  address: string | null; path: string | null;
}
export interface AppendOptions {
  at?: string | null; expect?: string | null; op?: string | null; anyShape?: boolean;
}
export interface ReadOptions {
  session?: string; offset?: number; limit?: number; grep?: string; tail?: number;
}

export class QuireError extends Error { readonly kind: string; readonly hint: string; }
export class NotFound extends QuireError {}
export class Exists extends QuireError {}
export class Busy extends QuireError {}
export class Invalid extends QuireError {}
export class Damaged extends QuireError {}
export class Changed extends QuireError {}
export class QuotaExceeded extends QuireError {}
export class TooLarge extends QuotaExceeded {}

/** The output of a tool on its way into a session. */
export class Sink extends Writable {
  readonly shown: Shown | undefined;
  finish(): Promise<Shown>;
}

export class Session {
  readonly home: Home;
  readonly id: string;
  readonly path: string | null;
  append(entry: Entry | string, options?: AppendOptions): Promise<string>;
  appendMany(entries: (Entry | string)[], options?: AppendOptions): Promise<string[]>;
  message(role: string, content: any, fields?: { [key: string]: any }): Promise<string>;
  flush(): Promise<void>;
  branch(entry: string | null, keep?: boolean): Promise<void>;
  label(entry: string, label?: string | null): Promise<void>;
  rename(title: string): Promise<void>;
  info(): Promise<SessionInfo>;
  entries(): AsyncGenerator<StoredEntry>;
  entriesFrom(from: number, n?: number): Promise<StoredEntry[]>;
  entry(id: string): Promise<StoredEntry>;
  branchEntries(leaf?: string | null): Promise<StoredEntry[]>;
  context(leaf?: string | null): Promise<Context>;
  messages(leaf?: string | null): Promise<Message[]>;
  sink(tool?: string, options?: { threshold?: number; head?: number; columns?: number }): Promise<Sink>;
  read(address: string, options?: ReadOptions): Promise<string>;
  putArtifact(path: string, data: Data, options?: { mime?: string; purpose?: string; expect?: string }): Promise<Artifact>;
  getArtifact(path: string, options?: { version?: number }): Promise<Buffer>;
  artifacts(): Promise<Artifact[]>;
  export(to: string, options?: { leaf?: string; redact?: boolean }): Promise<Buffer>;
  close(): Promise<void>;
}

export class Home {
  readonly path: string;
  newSession(options?: { cwd?: string; title?: string; parent?: string; sync?: Sync }): Promise<Session>;
  openSession(which: string, options?: { readOnly?: boolean; sync?: Sync }): Promise<Session>;
  sessions(options?: { cwd?: string; limit?: number }): Promise<SessionInfo[]>;
  removeSession(which: string, options?: { now?: boolean }): Promise<void>;
  export(session: string, to: string, options?: { leaf?: string; redact?: boolean }): Promise<Buffer>;
  putBlob(data: Data): Promise<string>;
  getBlob(ref: string, options?: { start?: number; end?: number }): Promise<Buffer>;
  blobStream(ref: string, start?: number): Readable;
  read(address: string, options?: ReadOptions): Promise<string>;
  putArtifact(path: string, data: Data, options?: { session?: string; mime?: string; purpose?: string; expect?: string }): Promise<Artifact>;
  getArtifact(path: string, options?: { session?: string; version?: number }): Promise<Buffer>;
  artifacts(options?: { session?: string }): Promise<Artifact[]>;
  removeArtifact(path: string, options?: { session?: string; purge?: boolean }): Promise<void>;
  remember(type: string, title: string, content?: string, options?: { session?: string; supersedes?: number; tags?: string[] }): Promise<Memory>;
  recall(query: string, options?: { session?: string; limit?: number }): Promise<Memory[]>;
  memories(): Promise<Memory[]>;
  forget(id: number): Promise<void>;
  search(query: string, options?: {
    kind?: string; role?: string; tool?: string; session?: string; project?: string;
    sort?: "rank" | "newest" | "oldest"; limit?: number; cursor?: string; regex?: boolean;
  }): Promise<{ hits: Hit[]; total: number; nextCursor: string | null }>;
  close(): Promise<void>;
}

export function open(home?: string | null, options?: { tenant?: string; readOnly?: boolean }): Promise<Home>;
export function libraryVersion(): string;
