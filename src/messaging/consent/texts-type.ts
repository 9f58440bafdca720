/** All texts of the public pages and of the mails of forms, in one language. */
export interface Texts {
  preferences: {
    title: string;
    saved: string;
    intro: (company: string) => string;
    unsubscribed: (company: string) => string;
    nobody: string;
    /** Shown for a link that can opt out but not in: it was sent to a former address of the contact. */
    otherAddress: string;
    channels: string;
    channel: { email: string; sms: string };
    on: string;
    off: string;
    turnOn: string;
    turnOff: string;
    lists: string;
    listsNeedChannel: string;
    leave: string;
    comeBack: string;
    left: string;
    pending: string;
    frequency: string;
    all: string;
    lessOften: (days: number) => string;
    save: string;
    pause: string;
    pauseHint: string;
    pauseFor: (days: number) => string;
    pausedUntil: (date: string) => string;
    resume: string;
    everything: string;
    transactional: string;
  };
  confirm: {
    title: string;
    ask: string;
    button: string;
    done: string;
    nothing: string;
    /** For a list with double opt-in; Liquid. */
    mail: { subject: string; content: string };
  };
  form: {
    email: string;
    phone: string;
    first_name: string;
    last_name: string;
    required: string;
    submit: string;
    check: string;
    done: string;
    invalid: (label: string) => string;
    missing: (label: string) => string;
    again: string;
    refused: string;
    tooMany: string;
    failed: string;
    /** Label of a field to leave empty: only bots see it. */
    trap: string;
    askConfirm: (company: string) => string;
    confirmButton: string;
    /** Liquid. Must not contain anything submitted with the form, or the mail could be made to say anything to anyone. */
    mail: { subject: string; content: string };
    sms: string;
  };
  error: {
    noLink: { title: string; text: string };
    notUnderstood: { title: string; text: string };
    failed: { title: string; text: string };
  };
}
