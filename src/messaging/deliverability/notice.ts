import type { Language } from '../consent/languages.ts';

/** The notice to members when marketing e-mail of their company is paused; Liquid. */
const NOTICES: Record<Language, { subject: string; content: string }> = {
  en: {
    subject: 'Marketing e-mail of {{ shop.name }} is paused',
    content: `<!doctype html><html lang="en"><body style="font-family: sans-serif">
<p>Tradeloom has paused the marketing e-mail of {{ shop.name }}.</p>
{% if reason == 'complaint_rate' %}<p>{{ rate }} of the delivered e-mails of the last seven days were reported as spam; the limit is {{ limit }}. Above it, large mail services put e-mails of the domain into the spam folder, receipts included.</p>
<p>Before you go on: send only to people who asked for it and opened something lately, and make the link to unsubscribe easy to find.</p>
{% else %}<p>{{ rate }} of the e-mails of the last seven days went to addresses that do not exist; the limit is {{ limit }}. Above it, mail services and mail providers refuse e-mails of the domain.</p>
<p>Before you go on: find out where these addresses come from, such as an old import, and leave them out.</p>
{% endif %}<p>Campaigns are paused and e-mails of flows wait. Messages about orders are sent as before.</p>
<p><a href="{{ url }}">See the numbers, and go on</a></p>
</body></html>`,
  },
  de: {
    subject: 'Werbliche E-Mails von {{ shop.name }} sind angehalten',
    content: `<!doctype html><html lang="de"><body style="font-family: sans-serif">
<p>Tradeloom hat die werblichen E-Mails von {{ shop.name }} angehalten.</p>
{% if reason == 'complaint_rate' %}<p>{{ rate }} der zugestellten E-Mails der letzten sieben Tage wurden als Spam gemeldet; die Grenze liegt bei {{ limit }}. Darüber legen große Mail-Dienste E-Mails der Domain in den Spam-Ordner, auch Bestellbestätigungen.</p>
<p>Bevor Sie fortfahren: Schreiben Sie nur Personen, die darum gebeten und zuletzt etwas geöffnet haben, und machen Sie den Link zum Abmelden leicht auffindbar.</p>
{% else %}<p>{{ rate }} der E-Mails der letzten sieben Tage gingen an Adressen, die es nicht gibt; die Grenze liegt bei {{ limit }}. Darüber lehnen Mail-Dienste und Mail-Anbieter E-Mails der Domain ab.</p>
<p>Bevor Sie fortfahren: Finden Sie heraus, woher diese Adressen kommen, etwa aus einem alten Import, und lassen Sie sie weg.</p>
{% endif %}<p>Kampagnen sind pausiert und E-Mails von Flows warten. Nachrichten zu Bestellungen werden weiter gesendet.</p>
<p><a href="{{ url }}">Zahlen ansehen und fortfahren</a></p>
</body></html>`,
  },
};

export function pausedNotice(language: Language): { subject: string; content: string } {
  return NOTICES[language];
}
