import type { Language } from './consent/languages.ts';

/** Messages about the account of a customer in a shop. */
export const ACCOUNT_MAILS = [
  'account_sign_in',
  'account_change_email',
  'account_erase',
  'account_closed',
  'account_invite',
  'account_email_changed',
  'account_passkey',
] as const;
export type AccountMail = (typeof ACCOUNT_MAILS)[number];

export interface SystemMail {
  subject: string;
  content: string;
}

/** Returns a message of paragraphs, which are HTML and Liquid. */
export function mail(language: Language, subject: string, paragraphs: readonly string[]): SystemMail {
  const body = paragraphs.map((text) => `<p>${text}</p>`).join('\n');
  const content = `<!doctype html><html lang="${language}"><body style="font-family: sans-serif">\n${body}\n</body></html>`;
  return { subject, content };
}

const CODE = '<strong style="font-size: 24px; letter-spacing: 4px">{{ code }}</strong>';
const LINK = '<a href="{{ store_url }}">{{ store_url }}</a>';

/** Liquid. Must not contain anything that a visitor entered, or the mails could be made to say anything to anyone. */
const MAILS: Record<Language, Record<AccountMail, SystemMail>> = {
  en: {
    account_sign_in: mail('en', 'Your code for {{ company.name }}: {{ code }}', [
      'Enter this code to sign in to {{ company.name }}:',
      CODE,
      'It is valid for 10 minutes. If you did not ask for it, do nothing, and give it to nobody.',
    ]),
    account_change_email: mail('en', 'Your code for {{ company.name }}: {{ code }}', [
      'Enter this code to use this address for your account at {{ company.name }}:',
      CODE,
      'It is valid for 10 minutes. If you did not ask for it, do nothing, and give it to nobody.',
    ]),
    account_erase: mail('en', 'Your code for {{ company.name }}: {{ code }}', [
      'Enter this code to delete your account at {{ company.name }} and your data. This cannot be undone.',
      CODE,
      'It is valid for 10 minutes. If you did not ask for it, do nothing, and give it to nobody.',
    ]),
    account_closed: mail('en', 'Your account at {{ company.name }}', [
      'Somebody, probably you, wanted to sign in to {{ company.name }} with this address. Its account is closed.',
      'If you have a question, please write to the shop.',
    ]),
    account_invite: mail('en', 'Your account at {{ company.name }}', [
      '{{ company.name }} invites you to open an account, in which you see your orders.',
      `Sign in with this address, and you will get a code by mail.{% if store_url %} ${LINK}{% endif %}`,
    ]),
    account_email_changed: mail('en', 'Your account at {{ company.name }} has a new address', [
      'Your account at {{ company.name }} now has another e-mail address. You cannot sign in with this one any more.',
      'If you did not want this, please write to the shop at once.',
    ]),
    account_passkey: mail('en', 'Your account at {{ company.name }} has a new passkey', [
      'A passkey was added to your account at {{ company.name }}. The device that has it can sign in.',
      'If this was not you, please write to the shop at once.',
    ]),
  },
  de: {
    account_sign_in: mail('de', 'Ihr Code für {{ company.name }}: {{ code }}', [
      'Geben Sie diesen Code ein, um sich bei {{ company.name }} anzumelden:',
      CODE,
      'Er gilt 10 Minuten. Wenn Sie ihn nicht angefordert haben, müssen Sie nichts tun. Geben Sie ihn niemandem weiter.',
    ]),
    account_change_email: mail('de', 'Ihr Code für {{ company.name }}: {{ code }}', [
      'Geben Sie diesen Code ein, um diese Adresse für Ihr Konto bei {{ company.name }} zu verwenden:',
      CODE,
      'Er gilt 10 Minuten. Wenn Sie ihn nicht angefordert haben, müssen Sie nichts tun. Geben Sie ihn niemandem weiter.',
    ]),
    account_erase: mail('de', 'Ihr Code für {{ company.name }}: {{ code }}', [
      'Geben Sie diesen Code ein, um Ihr Konto bei {{ company.name }} und Ihre Daten zu löschen. Das lässt sich nicht rückgängig machen.',
      CODE,
      'Er gilt 10 Minuten. Wenn Sie ihn nicht angefordert haben, müssen Sie nichts tun. Geben Sie ihn niemandem weiter.',
    ]),
    account_closed: mail('de', 'Ihr Konto bei {{ company.name }}', [
      'Jemand, vermutlich Sie, wollte sich mit dieser Adresse bei {{ company.name }} anmelden. Das Konto ist geschlossen.',
      'Wenn Sie eine Frage haben, schreiben Sie bitte an den Shop.',
    ]),
    account_invite: mail('de', 'Ihr Konto bei {{ company.name }}', [
      '{{ company.name }} lädt Sie ein, ein Konto zu eröffnen, in dem Sie Ihre Bestellungen sehen.',
      `Melden Sie sich mit dieser Adresse an, dann erhalten Sie einen Code per E-Mail.{% if store_url %} ${LINK}{% endif %}`,
    ]),
    account_email_changed: mail('de', 'Ihr Konto bei {{ company.name }} hat eine neue Adresse', [
      'Ihr Konto bei {{ company.name }} hat jetzt eine andere E-Mail-Adresse. Mit dieser hier können Sie sich nicht mehr anmelden.',
      'Wenn Sie das nicht wollten, schreiben Sie bitte sofort an den Shop.',
    ]),
    account_passkey: mail('de', 'Ihr Konto bei {{ company.name }} hat einen neuen Passkey', [
      'Ihrem Konto bei {{ company.name }} wurde ein Passkey hinzugefügt. Das Gerät, das ihn hat, kann sich anmelden.',
      'Wenn Sie das nicht waren, schreiben Sie bitte sofort an den Shop.',
    ]),
  },
};

/** Undefined if the template is none of them. */
export function accountMail(template: string, language: Language): SystemMail | undefined {
  const known = ACCOUNT_MAILS.find((one) => one === template);
  return known === undefined ? undefined : MAILS[language][known];
}
