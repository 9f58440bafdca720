import { LANGUAGES } from './consent/languages.ts';
import { textsOf } from './consent/texts.ts';
import type { RenderContext } from './liquid-engine.ts';
import type { Channel } from './message.ts';
import type { Source } from './sources.ts';

/** Messages that the product itself sends. Their data is what the templates below name. */
const CONTENTS = new Map<string, { subject: string; content: string }>(
  Object.entries({
    confirm_membership: {
      subject: 'Please confirm your subscription to {{ list.name }}',
      content: `<!doctype html><html><body style="font-family: sans-serif">
<p>Hello{% if contact.first_name %} {{ contact.first_name }}{% endif %},</p>
<p>somebody, hopefully you, asked {{ company.name }} to put this address on the list “{{ list.name }}”.</p>
<p><a href="{{ confirm_url }}">Yes, put me on the list</a></p>
<p>If it was not you, do nothing: you will not get anything.</p>
</body></html>`,
    },
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

/** Asks whoever was entered into a signup form, in the form's language. */
function formContent({ language }: Record<string, unknown>, channel: Channel): { subject: string; content: string } {
  const { form } = textsOf(LANGUAGES.find((one) => one === language) ?? 'en');
  return channel === 'email' ? form.mail : { subject: '', content: form.sms };
}

/** null where there is no such message. */
export function systemContent(template: string, data: Record<string, unknown>, channel: Channel): Source | null {
  const known = template === 'confirm_form' ? formContent(data, channel) : (CONTENTS.get(template) ?? null);
  return known === null ? null : { ...known, previewText: null, sender: null, context: data as RenderContext };
}
