import type { RenderContext } from '../liquid/engine.ts';

/** The content of a message with its template resolved, and the variables that templates may use. */
export interface Source {
  subject: string | null;
  previewText: string | null;
  content: string;
  sender: string | null;
  /** Variables in addition to contact and company. */
  context: RenderContext;
}
