import type { Notice } from '../../messaging/notices/notices.ts';

type Language = 'en' | 'de';

/** What a mail program makes a link of: an address with a scheme, a host name, an e-mail address. */
const LINK = /:\/\/|\bwww\.|@|[\p{L}\p{N}-]\.\p{L}{2,}/iu;

/** Names are chosen by users, and strangers read them: they are short, on one line, and lose the words that would become links. */
function plain(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== '' && !LINK.test(word));
  return words.join(' ').slice(0, 60).trim() || '…';
}

const INVITATION = {
  en: (inviter: string, company: string, url: string) => ({
    subject: 'Invitation to Tradeloom',
    text: `${inviter} invites you to work in ${company} with Tradeloom.\n\nOpen this link within seven days; it works once:\n\n${url}\n\nIf you did not expect this, do nothing.\n`,
  }),
  de: (inviter: string, company: string, url: string) => ({
    subject: 'Einladung zu Tradeloom',
    text: `${inviter} lädt Sie ein, bei ${company} mit Tradeloom zu arbeiten.\n\nÖffnen Sie innerhalb von sieben Tagen diesen Link; er gilt einmal:\n\n${url}\n\nWenn Sie das nicht erwartet haben, tun Sie nichts.\n`,
  }),
};

const SIGN_IN = {
  en: (url: string) => ({
    subject: 'Your link to sign in',
    text: `Open this link within the hour to sign in to Tradeloom; it works once:\n\n${url}\n\nIf you did not ask for it, do nothing: nobody is signed in without it.\n`,
  }),
  de: (url: string) => ({
    subject: 'Ihr Link zum Anmelden',
    text: `Öffnen Sie innerhalb einer Stunde diesen Link, um sich bei Tradeloom anzumelden; er gilt einmal:\n\n${url}\n\nWenn Sie ihn nicht angefordert haben, tun Sie nichts: Ohne ihn wird niemand angemeldet.\n`,
  }),
};

const RESET = {
  en: (url: string) => ({
    subject: 'Choose a new password',
    text: `Open this link within the hour to choose a new password for Tradeloom; it works once, and ends all your sessions:\n\n${url}\n\nIf you have an authenticator app, you also need its code.\n\nIf you did not ask for it, do nothing: your password stays as it is. If such e-mails keep coming, tell an owner of your company, who sees in the audit log where they were asked for.\n`,
  }),
  de: (url: string) => ({
    subject: 'Neues Passwort wählen',
    text: `Öffnen Sie innerhalb einer Stunde diesen Link, um ein neues Passwort für Tradeloom zu wählen; er gilt einmal und beendet alle Ihre Sitzungen:\n\n${url}\n\nWenn Sie eine Authenticator-App verwenden, brauchen Sie auch deren Code.\n\nWenn Sie ihn nicht angefordert haben, tun Sie nichts: Ihr Passwort bleibt, wie es ist. Wenn solche E-Mails immer wieder kommen, sagen Sie es einem Eigentümer Ihrer Firma; im Audit-Log steht, von wo sie angefordert wurden.\n`,
  }),
};

const PASSWORD_CHANGED = {
  en: (origin: string) => ({
    subject: 'Your password was changed',
    text: `The password of your Tradeloom account was changed, and your other sessions have ended.\n\nIf this was not you, choose a new password at once with “Forgot your password?” at ${origin}/admin/sign-in, and tell an owner of your company.\n`,
  }),
  de: (origin: string) => ({
    subject: 'Ihr Passwort wurde geändert',
    text: `Das Passwort Ihres Tradeloom-Kontos wurde geändert, und Ihre anderen Sitzungen sind beendet.\n\nWenn Sie das nicht waren, wählen Sie sofort mit „Passwort vergessen?“ unter ${origin}/admin/sign-in ein neues und sagen Sie es einem Eigentümer Ihrer Firma.\n`,
  }),
};

/** Returns the URL of a sign-in link. */
export function signInAddress(origin: string, token: string): string {
  return `${origin}/admin/sign-in?token=${token}`;
}

export function invitationNotice(
  language: Language,
  given: { to: string; inviter: string; company: string; url: string },
): Notice {
  return { to: given.to, ...INVITATION[language](plain(given.inviter), plain(given.company), given.url) };
}

export function signInNotice(language: Language, to: string, url: string): Notice {
  return { to, ...SIGN_IN[language](url) };
}

export function resetNotice(language: Language, to: string, url: string): Notice {
  return { to, ...RESET[language](url) };
}

export function passwordChangedNotice(language: Language, to: string, origin: string): Notice {
  return { to, ...PASSWORD_CHANGED[language](origin) };
}
