import { type RenderContext, type RenderResult, renderTemplate, WORKER_LIMITS } from './liquid-engine.ts';
import { serveJobs } from './worker-port.ts';

export interface RenderJob {
  text: string;
  context: RenderContext;
  html: boolean;
}

serveJobs<RenderJob, RenderResult>(({ text, context, html }) =>
  renderTemplate(text, context, { html, limits: WORKER_LIMITS }),
);
