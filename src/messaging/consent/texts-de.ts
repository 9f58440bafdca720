import type { Texts } from './texts-type.ts';

export const GERMAN: Texts = {
  preferences: {
    title: 'Ihre Einstellungen',
    saved: 'Gespeichert.',
    intro: (company) => `Sie erhalten Nachrichten von ${company}. Wählen Sie, was Sie bekommen möchten.`,
    unsubscribed: (company) => `Sie sind abgemeldet: ${company} sendet Ihnen keine Werbung mehr.`,
    nobody: 'An diese Adresse würden wir nichts senden.',
    otherAddress:
      'Dieser Link ging an eine Adresse, die sich seither geändert hat. Abmelden können Sie sich damit noch; zum erneuten Anmelden nehmen Sie bitte den Link einer neueren Nachricht.',
    channels: 'Wie wir Ihnen schreiben dürfen',
    channel: { email: 'E-Mail', sms: 'SMS' },
    on: 'an',
    off: 'aus',
    turnOn: 'Ja, schreiben Sie mir',
    turnOff: 'Nicht mehr schreiben',
    lists: 'Listen',
    listsNeedChannel: 'Was diese Listen senden, kommt nur auf einem Weg, der an ist.',
    leave: 'Diese Liste verlassen',
    comeBack: 'Zu dieser Liste zurückkehren',
    left: 'verlassen',
    pending: 'noch nicht bestätigt',
    frequency: 'Wie oft',
    all: 'Alles',
    lessOften: (days) =>
      days === 1 ? 'Seltener: höchstens eine Nachricht am Tag' : `Seltener: höchstens eine Nachricht in ${days} Tagen`,
    save: 'Speichern',
    pause: 'Pause',
    pauseHint: 'Sie bleiben angemeldet. Was in dieser Zeit käme, entfällt.',
    pauseFor: (days) => `${days} Tage Pause`,
    pausedUntil: (date) => `Pause bis ${date}.`,
    resume: 'Pause beenden',
    everything: 'Von allem abmelden',
    transactional: 'Nachrichten zu Ihren Bestellungen kommen in jedem Fall.',
  },
  confirm: {
    title: 'Bestätigen',
    ask: 'Bitte bestätigen Sie, dass Sie auf die Liste möchten.',
    button: 'Ja, auf die Liste setzen',
    done: 'Vielen Dank, Sie stehen auf der Liste.',
    nothing: 'Hier gibt es nichts mehr zu bestätigen.',
    mail: {
      subject: 'Bitte bestätigen Sie Ihre Anmeldung: {{ list.name }}',
      content: `<!doctype html><html lang="de"><body style="font-family: sans-serif">
<p>Guten Tag{% if contact.first_name %} {{ contact.first_name }}{% endif %},</p>
<p>jemand, hoffentlich Sie, hat {{ company.name }} gebeten, diese Adresse auf die Liste „{{ list.name }}“ zu setzen.</p>
<p><a href="{{ confirm_url }}">Ja, auf die Liste setzen</a></p>
<p>Wenn Sie das nicht waren, tun Sie nichts: Sie bekommen dann nichts von uns.</p>
</body></html>`,
    },
  },
  form: {
    email: 'E-Mail-Adresse',
    phone: 'Mobilnummer',
    first_name: 'Vorname',
    last_name: 'Nachname',
    required: 'Pflichtfeld',
    submit: 'Anmelden',
    check: 'Vielen Dank. Bitte bestätigen Sie die Anmeldung mit dem Link, den wir Ihnen gesendet haben.',
    done: 'Vielen Dank für Ihre Anmeldung.',
    invalid: (label) => `${label}: Bitte prüfen Sie Ihre Eingabe.`,
    missing: (label) => `${label}: Bitte füllen Sie dieses Feld aus.`,
    again: 'Dieses Formular ist zu alt. Bitte laden Sie die Seite neu.',
    refused: 'Von hier kann dieses Formular nicht gesendet werden.',
    tooMany: 'Zu viele Versuche. Bitte versuchen Sie es später noch einmal.',
    failed: 'Das hat nicht geklappt. Bitte versuchen Sie es gleich noch einmal.',
    trap: 'Dieses Feld bitte leer lassen',
    askConfirm: (company) => `Bitte bestätigen Sie, dass Sie Nachrichten von ${company} erhalten möchten.`,
    confirmButton: 'Ja, anmelden',
    mail: {
      subject: 'Bitte bestätigen Sie Ihre Anmeldung',
      content: `<!doctype html><html lang="de"><body style="font-family: sans-serif">
<p>Guten Tag,</p>
<p>jemand, hoffentlich Sie, hat diese Adresse eingetragen, um Nachrichten von {{ company.name }} zu erhalten.</p>
<p><a href="{{ confirm_url }}">Ja, anmelden</a></p>
<p>Wenn Sie das nicht waren, tun Sie nichts: Sie bekommen dann nichts von uns.</p>
</body></html>`,
    },
    sms: '{{ company.name }}: Für unsere SMS bitte bestätigen: {{ confirm_url }} Wenn Sie das nicht wollten, tun Sie nichts.',
  },
  error: {
    noLink: { title: 'Link nicht gefunden', text: 'Dieser Link ist nicht gültig. Wurde er vollständig kopiert?' },
    notUnderstood: { title: 'Nicht verstanden', text: 'Diese Anfrage kann nicht bearbeitet werden.' },
    failed: { title: 'Etwas ist schiefgegangen', text: 'Bitte versuchen Sie es gleich noch einmal.' },
  },
};
