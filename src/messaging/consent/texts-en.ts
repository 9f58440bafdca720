import type { Texts } from './texts-type.ts';

export const ENGLISH: Texts = {
  preferences: {
    title: 'Your preferences',
    saved: 'Saved.',
    intro: (company) => `You get messages from ${company}. Choose what you want to get.`,
    unsubscribed: (company) => `You are unsubscribed: ${company} sends you no more marketing messages.`,
    nobody: 'There is nothing that we would send to this address.',
    otherAddress:
      'This link came to an address that has changed since. You can still unsubscribe by it; to subscribe again, use the link of a newer message.',
    channels: 'How we may write to you',
    channel: { email: 'E-mail', sms: 'SMS' },
    on: 'on',
    off: 'off',
    turnOn: 'Yes, write to me',
    turnOff: 'Do not write to me',
    lists: 'Lists',
    listsNeedChannel: 'What these lists send comes only by a way that is on.',
    leave: 'Leave this list',
    comeBack: 'Come back to this list',
    left: 'left',
    pending: 'not confirmed yet',
    frequency: 'How often',
    all: 'Everything',
    lessOften: (days) =>
      days === 1 ? 'Less often: at most one message a day' : `Less often: at most one message in ${days} days`,
    save: 'Save',
    pause: 'Pause',
    pauseHint: 'You stay subscribed. What would come meanwhile is left out.',
    pauseFor: (days) => `Pause for ${days} days`,
    pausedUntil: (date) => `Paused until ${date}.`,
    resume: 'End the pause',
    everything: 'Unsubscribe from everything',
    transactional: 'Messages about your orders come in any case.',
  },
  confirm: {
    title: 'Confirm',
    ask: 'Please confirm that you want to be on the list.',
    button: 'Yes, put me on the list',
    done: 'Thank you, you are on the list.',
    nothing: 'There is nothing to confirm any more.',
    mail: {
      subject: 'Please confirm your subscription to {{ list.name }}',
      content: `<!doctype html><html lang="en"><body style="font-family: sans-serif">
<p>Hello{% if contact.first_name %} {{ contact.first_name }}{% endif %},</p>
<p>somebody, hopefully you, asked {{ company.name }} to put this address on the list “{{ list.name }}”.</p>
<p><a href="{{ confirm_url }}">Yes, put me on the list</a></p>
<p>If it was not you, do nothing: you will not get anything.</p>
</body></html>`,
    },
  },
  form: {
    email: 'E-mail address',
    phone: 'Mobile number',
    first_name: 'First name',
    last_name: 'Last name',
    required: 'required',
    submit: 'Sign up',
    check: 'Thank you. Please confirm by the link that we have sent to you.',
    done: 'Thank you for signing up.',
    invalid: (label) => `${label}: please check what you entered.`,
    missing: (label) => `${label}: please fill this in.`,
    again: 'This form is too old. Please load the page again.',
    refused: 'This form cannot be sent from here.',
    tooMany: 'Too many attempts. Please try again later.',
    failed: 'That did not work. Please try again in a moment.',
    trap: 'Leave this empty',
    askConfirm: (company) => `Please confirm that you want to get messages from ${company}.`,
    confirmButton: 'Yes, sign me up',
    mail: {
      subject: 'Please confirm your subscription',
      content: `<!doctype html><html lang="en"><body style="font-family: sans-serif">
<p>Hello,</p>
<p>somebody, hopefully you, entered this address to get messages from {{ company.name }}.</p>
<p><a href="{{ confirm_url }}">Yes, sign me up</a></p>
<p>If it was not you, do nothing: you will not get anything.</p>
</body></html>`,
    },
    sms: '{{ company.name }}: to get our SMS, please confirm: {{ confirm_url }} If you did not ask for this, do nothing.',
  },
  error: {
    noLink: { title: 'Link not found', text: 'This link is not valid. Was it copied as a whole?' },
    notUnderstood: { title: 'Not understood', text: 'This request cannot be processed.' },
    failed: { title: 'Something went wrong', text: 'Please try again in a moment.' },
  },
};
