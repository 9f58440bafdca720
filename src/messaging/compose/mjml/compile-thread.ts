import mjml2html from 'mjml';
import { serveJobs } from '../../../lib/threads/port.ts';

export type MjmlResult = { html: string; warnings: string[] } | { error: string };

serveJobs<string, MjmlResult>(async (source) => {
  try {
    const { html, errors } = await mjml2html(source, {
      // By default every mail would load fonts from Google and so reveal who reads it and when.
      fonts: {},
      ignoreIncludes: true,
      validationLevel: 'soft',
    });
    return { html, warnings: errors.map(({ line, tagName, message }) => `Line ${line}, ${tagName}: ${message}`) };
  } catch (error) {
    return { error: error instanceof Error ? error.message.slice(0, 300) : 'unknown error' };
  }
});
