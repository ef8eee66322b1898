import { Home, Sync } from "./index";

/** A store of UI messages for the Vercel AI SDK: a chat is a session. */
export class ChatStore {
  constructor(home: Home, options?: { sync?: Sync });
  loadChat<Message = any>(id: string): Promise<Message[]>;
  saveChat<Message = any>(chat: { chatId: string; messages: Message[] }): Promise<void>;
}
