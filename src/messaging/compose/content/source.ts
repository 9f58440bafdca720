import type { RenderContext } from '../liquid/engine.ts';

/** What a message is made from: the content with its template put in place, and what templates may use of it. */
export interface Source {
  subject: string | null;
  previewText: string | null;
  content: string;
  sender: string | null;
  /** Beside contact and company. */
  context: RenderContext;
}
