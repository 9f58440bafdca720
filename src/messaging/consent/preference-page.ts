import { type Html, html } from '../../lib/html.ts';
import { CHANNELS } from '../../recipients/consent.ts';
import type { Language } from './languages.ts';
import type { ShownPreferences } from './preference-queries.ts';
import { PAUSE_DAYS } from './preference-request.ts';
import type { Texts } from './texts-type.ts';

/** The choices of a contact: one small form each, so that the page works without scripts. */
export function preferenceContent(
  shown: ShownPreferences,
  { preferences: text }: Texts,
  { language, lessOftenDays, saved, now }: { language: Language; lessOftenDays: number; saved: boolean; now: Date },
): Html {
  const { company, mayAgree } = shown;
  const gets = CHANNELS.some((channel) => shown.channels[channel]?.state === 'subscribed');
  return html`${saved ? html`<p role="status">${text.saved}</p>` : null}
<p>${gets ? text.intro(company) : text.unsubscribed(company)} ${text.transactional}</p>
${mayAgree ? null : html`<p>${text.otherAddress}</p>`}
${channelsPart(shown, text)}
${listsPart(shown, text)}
${gets ? html`${frequencyPart(shown, text, lessOftenDays)}${pausePart(shown, text, language, now)}` : null}
${gets ? html`<h2>${text.everything}</h2>${button('leave', 'everything', text.everything)}` : null}`;
}

type Preferences = Texts['preferences'];

function channelsPart({ channels, mayAgree }: ShownPreferences, text: Preferences): Html {
  const rows = CHANNELS.flatMap((channel) => {
    const found = channels[channel];
    if (found === undefined) return [];
    const name = text.channel[channel];
    const isOn = found.state === 'subscribed';
    const action = isOn ? `no-${channel}` : `yes-${channel}`;
    const label = isOn ? text.turnOff : text.turnOn;
    const change = isOn || mayAgree ? button('channel', action, label, `${name}: ${label}`) : null;
    return [
      html`<li class="row"><p>${name} (${masked(found.address)}): ${isOn ? text.on : text.off}</p>${change}</li>`,
    ];
  });
  return html`<h2>${text.channels}</h2><ul>${rows}</ul>`;
}

function listsPart({ lists, mayAgree }: ShownPreferences, text: Preferences): Html | null {
  if (lists.length === 0) return null;
  const rows = lists.map(({ list_id, name, status }) => {
    const hasLeft = status === 'unsubscribed';
    const label = hasLeft ? text.comeBack : text.leave;
    const note = hasLeft ? html` (${text.left})` : status === 'pending' ? html` (${text.pending})` : null;
    const change =
      hasLeft && !mayAgree ? null : button(hasLeft ? 'join' : 'leave', String(list_id), label, `${name}: ${label}`);
    return html`<li class="row"><p>${name}${note}</p>${change}</li>`;
  });
  return html`<h2>${text.lists}</h2><p>${text.listsNeedChannel}</p><ul>${rows}</ul>`;
}

function frequencyPart({ frequency }: ShownPreferences, text: Preferences, days: number): Html {
  const choice = (value: string, label: string): Html =>
    html`<label><input type="radio" name="frequency" value="${value}"${value === frequency ? html` checked` : null}> ${label}</label>`;
  return html`<form method="post"><fieldset><legend><h2>${text.frequency}</h2></legend>
${choice('all', text.all)}
${choice('less_often', text.lessOften(days))}
</fieldset><button>${text.save}</button></form>`;
}

function pausePart({ pausedUntil }: ShownPreferences, text: Preferences, language: Language, now: Date): Html {
  const paused = pausedUntil !== null && pausedUntil > now;
  const until = paused ? html`<p>${text.pausedUntil(dateIn(language, pausedUntil))}</p>` : null;
  return html`<h2>${text.pause}</h2><p>${text.pauseHint}</p>${until}
${paused ? button('pause', '0', text.resume) : button('pause', String(PAUSE_DAYS), text.pauseFor(PAUSE_DAYS))}`;
}

function dateIn(language: Language, moment: Date): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(moment);
}

/** `spoken`: the text for screen readers, where the label alone does not say what it refers to. */
function button(name: string, value: string, label: string, spoken = label): Html {
  return html`<form method="post"><input type="hidden" name="${name}" value="${value}"><button aria-label="${spoken}">${label}</button></form>`;
}

/** Shows enough to recognise one's own address, but not the rest to someone the message was forwarded to. */
function masked(address: string): string {
  const at = address.indexOf('@');
  return at === -1 ? `…${address.slice(-3)}` : `${address.slice(0, 1)}…${address.slice(at)}`;
}
