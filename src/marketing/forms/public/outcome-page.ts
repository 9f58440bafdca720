import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../../../lib/html.ts';
import { type PageLook, sendPage } from '../../../messaging/consent/page.ts';
import { textsOf } from '../../../messaging/consent/texts.ts';
import type { FormRow } from '../queries.ts';
import { redirectOf, titleOf } from './hosted-page.ts';

type LookOf = (form: FormRow) => Promise<PageLook>;

/** The response to an accepted submission: JSON, a redirect, or a page. */
export async function thank(
  request: FastifyRequest,
  reply: FastifyReply,
  form: FormRow,
  lookOf: LookOf,
): Promise<FastifyReply> {
  const { success_text, double_opt_in, redirect_url } = form;
  const texts = textsOf(form.language);
  const message = success_text ?? (double_opt_in ? texts.form.check : texts.form.done);
  const redirect = redirectOf(form);
  if (wantsJson(request)) return reply.code(200).send({ ok: true, message, redirect_url: redirect && redirect_url });
  if (redirect !== null) return reply.header('Cache-Control', 'no-store').redirect(redirect, 303);
  return sendPage(reply, {
    ...titleOf(form),
    content: html`<p role="status">${message}</p>`,
    look: await lookOf(form),
  });
}

/** The response to a rejected submission, which costs nothing further; the caller has set the status. */
export function refuse(request: FastifyRequest, reply: FastifyReply, form: FormRow, message: string): FastifyReply {
  if (wantsJson(request)) return reply.send({ ok: false, message });
  return sendPage(reply, { ...titleOf(form), content: html`<p role="alert">${message}</p>` });
}

export function wantsJson({ headers }: FastifyRequest): boolean {
  return (
    /\bapplication\/json\b/i.test(headers.accept ?? '') || /^application\/json\b/i.test(headers['content-type'] ?? '')
  );
}

/** The data of the client that is stored as evidence of a consent. */
export function clientOf(request: FastifyRequest): { ip: string; userAgent: string | undefined } {
  return { ip: request.ip, userAgent: request.headers['user-agent']?.slice(0, 500) };
}
