import { Session } from "./index";

/** The Session of @openai/agents, over an open session of Quire. */
export class QuireSession {
  constructor(session: Session);
  getSessionId(): Promise<string>;
  getItems(limit?: number): Promise<any[]>;
  addItems(items: any[]): Promise<void>;
  popItem(): Promise<any | undefined>;
  clearSession(): Promise<void>;
}
