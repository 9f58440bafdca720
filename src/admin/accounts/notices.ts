import type { Notice } from '../../messaging/notices/notices.ts';

type Language = 'en' | 'de';

/** Names are chosen by users, so they are kept short and on one line. */
const short = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 100);

const INVITATION = {
  en: (inviter: string, company: string, url: string) => ({
    subject: `${inviter} invites you to ${company}`,
    text: `${inviter} invites you to work in ${company} with Tradeloom.\n\nOpen this link within seven days; it works once:\n\n${url}\n\nIf you did not expect this, do nothing.\n`,
  }),
  de: (inviter: string, company: string, url: string) => ({
    subject: `${inviter} lädt Sie zu ${company} ein`,
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

/** Returns the URL of a sign-in link. */
export function signInAddress(origin: string, token: string): string {
  return `${origin}/admin/sign-in?token=${token}`;
}

export function invitationNotice(
  language: Language,
  given: { to: string; inviter: string; company: string; url: string },
): Notice {
  return { to: given.to, ...INVITATION[language](short(given.inviter), short(given.company), given.url) };
}

export function signInNotice(language: Language, to: string, url: string): Notice {
  return { to, ...SIGN_IN[language](url) };
}
