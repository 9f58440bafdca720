import { LANGUAGES, type Language } from '../../consent/languages.ts';
import { textsOf } from '../../consent/texts.ts';
import { pausedNotice } from '../../deliverability/notice.ts';
import type { Channel } from '../../ledger/message.ts';
import type { RenderContext } from '../liquid/engine.ts';
import type { Source } from './source.ts';

/** Messages that the product itself sends. Their data are the variables named in the templates below. */
const CONTENTS = new Map<string, { subject: string; content: string }>(
  Object.entries({
    sms_stop: {
      subject: '',
      content: '{{ company.name }}: you get no more SMS from us. Reply START to get them again.',
    },
    sms_start: {
      subject: '',
      content: '{{ company.name }}: you get our SMS again. Reply STOP to get no more.',
    },
    sms_help: {
      subject: '',
      content: '{% if text %}{{ text }}{% else %}{{ company.name }}: reply STOP to get no more SMS.{% endif %}',
    },
  }),
);

/** The language that the message was queued with. */
function languageOf({ language }: Record<string, unknown>): Language {
  return LANGUAGES.find((one) => one === language) ?? 'en';
}

function textsFor(data: Record<string, unknown>) {
  return textsOf(languageOf(data));
}

function contentOf(
  template: string,
  data: Record<string, unknown>,
  channel: Channel,
): { subject: string; content: string } | null {
  switch (template) {
    case 'confirm_membership':
      return textsFor(data).confirm.mail;
    case 'confirm_form': {
      const { form } = textsFor(data);
      return channel === 'email' ? form.mail : { subject: '', content: form.sms };
    }
    case 'marketing_paused':
      return pausedNotice(languageOf(data));
    default:
      return CONTENTS.get(template) ?? null;
  }
}

/** Returns null if there is no such message. */
export function systemContent(template: string, data: Record<string, unknown>, channel: Channel): Source | null {
  const known = contentOf(template, data, channel);
  return known === null ? null : { ...known, previewText: null, sender: null, context: data as RenderContext };
}
