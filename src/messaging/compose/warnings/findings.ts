import Type, { type Static } from 'typebox';
import { Nullable, OneOf } from '../../../lib/schemas.ts';

export const FINDING_CODES = [
  ...(['unknown_variable', 'empty_link', 'unusual_link', 'local_link', 'insecure_picture'] as const),
  ...(['picture_without_text', 'too_large', 'no_unsubscribe', 'few_words', 'many_capitals'] as const),
  ...(['unverified_sender', 'empty_coupon', 'button_without_link', 'no_postal_address'] as const),
] as const;
export const FINDING_FIELDS = ['subject', 'preview_text', 'content', 'from'] as const;

/** A probable mistake in a message. */
export const Finding = Type.Object({
  code: OneOf(FINDING_CODES),
  field: OneOf(FINDING_FIELDS),
  detail: Nullable(Type.String({ description: 'The variable, the address, the size in kB or the domain' })),
  suggestion: Nullable(Type.String({ description: 'The known variable that comes nearest' })),
});
export type Finding = Static<typeof Finding>;

/** Describes a finding in one sentence. */
export function sentenceOf({ code, field, detail, suggestion }: Finding): string {
  switch (code) {
    case 'unknown_variable':
      return `${field}: there is no variable ${detail}${suggestion === null ? '' : `; did you mean ${suggestion}?`}`;
    case 'empty_link':
      return `${field}: a link leads nowhere`;
    case 'unusual_link':
      return `${field}: the link ${detail} is neither http, https, mailto, tel nor sms`;
    case 'local_link':
      return `${field}: ${detail} can only be reached from inside a network`;
    case 'insecure_picture':
      return `${field}: the picture ${detail} is loaded without https`;
    case 'picture_without_text':
      return `${field}: the picture ${detail} has no alternative text`;
    case 'too_large':
      return `${field}: the e-mail has ${detail} kB; Gmail shows the first 102 kB only`;
    case 'no_unsubscribe':
      return `${field}: there is no unsubscribe link; one is added at the end of marketing messages`;
    case 'few_words':
      return `${field}: pictures with few words are often taken for spam`;
    case 'unverified_sender':
      return `${field}: the domain ${detail} is not verified, so that e-mails from it may be refused (see Sending domains)`;
    case 'empty_coupon':
      return `${field}: a coupon block has no coupon and is left out`;
    case 'button_without_link':
      return `${field}: the button${detail === null ? '' : ` ${detail}`} has no link`;
    case 'no_postal_address':
      return `${field}: there is no postal address of the sender, which many countries require`;
    case 'many_capitals':
      return `${field}: many capital letters are often taken for spam`;
  }
}
