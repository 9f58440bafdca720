import { CHANNELS, type Channel } from '../../../../recipients/consent.ts';
import { ADDRESS, type By, type Customer, type Given, KEYS, newPerson, type Person } from './person.ts';

/** A simple model of the consent contract, with which random histories are compared: people, and suppressions by address. */
export class ConsentModel {
  readonly people = new Set<Person>();
  readonly customers: Customer[] = [];
  /** For each merged contact, the contact that it was merged into. */
  private readonly heirs = new Map<number, number>();
  /** Addresses that unsubscribed, and who unsubscribed them. */
  private suppressed = new Map<string, By>();
  /** Addresses that bounced permanently. */
  private readonly bounced = new Set<string>();

  /** Whether the address is suppressed or bounced. */
  refuses(address: string): boolean {
    return this.suppressed.has(address) || this.bounced.has(address);
  }

  /** The address at which marketing must reach the person by the channel; null if it must not. */
  reaches(person: Person, channel: Channel): string | null {
    const address = person[ADDRESS[channel]];
    if (address === null || person.isPaused || (channel === 'email' && person.hasBounced)) return null;
    return person.consents[channel].state === 'subscribed' && !this.refuses(address) ? address : null;
  }

  /** The person with the id, or the one that it was merged into. */
  person(id: number): Person | undefined {
    let now = id;
    for (let next = this.heirs.get(now); next !== undefined; next = this.heirs.get(now)) now = next;
    return [...this.people].find((person) => person.id === now);
  }

  holder(key: (typeof KEYS)[number], value: string): Person | undefined {
    return [...this.people].find((person) => person[key] === value);
  }

  private suppress(address: string, by: By): void {
    const before = this.suppressed.get(address);
    this.suppressed.set(address, by === 'shop' && before !== 'person' ? 'shop' : 'person');
  }

  /** POST /contacts; undefined for a conflict. */
  upsert(given: Given): Person | undefined {
    const [winner, ...losers] = new Set(
      KEYS.flatMap((key) => (given[key] == null ? [] : (this.holder(key, given[key]) ?? []))),
    );
    if (losers.some((loser) => loser.external_id !== null)) return undefined;
    const person = winner ?? newPerson({ email: 'subscribed', sms: 'never' }, false);
    this.change(person, winner !== undefined, () => {
      for (const loser of losers) this.merge(person, loser, given);
      this.apply(person, given);
    });
    return person;
  }

  /** PATCH /contacts/{id}; false if it must be rejected, without a change. */
  patch(person: Person, given: Given): boolean {
    const taken = KEYS.some(
      (key) => given[key] != null && ![undefined, person].includes(this.holder(key, given[key]!)),
    );
    if (taken || KEYS.every((key) => (given[key] === undefined ? person[key] : given[key]) === null)) return false;
    const before = structuredClone(person);
    const suppressed = new Map(this.suppressed);
    this.change(person, true, () => this.apply(person, given));
    const refused = CHANNELS.some(
      (c) => given.consent?.[c] !== undefined && given.consent[c] !== person.consents[c].state,
    );
    if (!refused) return true;
    Object.assign(person, before);
    this.suppressed = suppressed;
    return false;
  }

  event(email: string): Person {
    const known = this.holder('email', email);
    if (known !== undefined) return known;
    const person = newPerson({ email: 'subscribed', sms: 'never' }, true);
    this.change(person, false, () => {
      person.email = email;
    });
    return person;
  }

  /** The outbox delivers a customer. `saidSo`: the customer has just decided whether to accept marketing. */
  syncCustomer({ id, email, accepts }: Customer, saidSo: boolean): void {
    const isCustomers = (externalId: string): boolean => this.customers.some((one) => String(one.id) === externalId);
    const byEmail = this.holder('email', email);
    const free = byEmail !== undefined && (byEmail.external_id === null || !isCustomers(byEmail.external_id));
    const known = this.holder('external_id', String(id)) ?? (free ? byEmail : undefined);
    const person = known ?? newPerson({ email: accepts ? 'subscribed' : 'never', sms: 'never' }, true);
    this.change(person, known !== undefined, () => {
      if (byEmail !== undefined && byEmail !== person) {
        if (byEmail.external_id === null) this.merge(person, byEmail, { email });
        else Object.assign(byEmail, { email: null, hasBounced: false });
      }
      this.readdress(person, email);
      Object.assign(person, { external_id: String(id), email });
      const consent = person.consents.email;
      if (!saidSo) return;
      if (accepts && consent.state === 'never') person.consents.email = { state: 'subscribed', by: 'shop', soft: true };
      if (!accepts && consent.state === 'subscribed' && consent.soft) {
        person.consents.email = { state: 'never', by: 'shop', soft: true };
      }
    });
  }

  /** A customer changes whether they accept marketing. */
  changeAcceptance(customer: Customer): void {
    const { id, email, accepts } = customer;
    const person = this.holder('external_id', String(id)) ?? this.holder('email', email);
    const address = person === undefined ? email : person.email;
    const against = address === null ? undefined : this.suppressed.get(address);
    if (accepts) {
      if (against === 'person') return;
      const consent = person?.consents.email;
      if (
        consent !== undefined &&
        (consent.state === 'never' || (consent.state === 'unsubscribed' && against === 'shop'))
      ) {
        person!.consents.email = { state: 'subscribed', by: 'shop', soft: true };
      }
      if (against === 'shop') this.suppressed.delete(address!);
      return;
    }
    if (address !== null && person?.consents.email.state !== 'unsubscribed') this.suppress(address, 'shop');
    if (person?.consents.email.state === 'subscribed')
      person.consents.email = { state: 'never', by: 'shop', soft: true };
    if (person?.consents.sms.state === 'subscribed') {
      person.consents.sms = { state: 'never', by: 'shop', soft: true };
      if (person.phone !== null) this.suppress(person.phone, 'shop');
    }
  }

  /** The person unsubscribes, and so does the address `also`, to which the message was sent. */
  unsubscribe(person: Person | undefined, channels: readonly Channel[], also?: string): void {
    for (const channel of channels) {
      const address = person?.[ADDRESS[channel]];
      if (person !== undefined) person.consents[channel] = { state: 'unsubscribed', by: 'person', soft: false };
      if (address != null) this.suppress(address, 'person');
    }
    if (also !== undefined) this.suppress(also, 'person');
  }

  /** The address itself unsubscribes, whoever has it. */
  unsubscribeAddress(channel: Channel, address: string): void {
    this.unsubscribe(this.holder(ADDRESS[channel], address), [channel], address);
  }

  resubscribe(person: Person, channel: Channel): void {
    const address = person[ADDRESS[channel]];
    const consent = person.consents[channel];
    if (consent.state !== 'subscribed') person.consents[channel] = { state: 'subscribed', by: 'person', soft: false };
    if (channel === 'email') person.hasBounced = false;
    if (address !== null) this.lift(address);
  }

  /** Lifts the suppressions of the address; contacts do not change. */
  lift(address: string): void {
    this.suppressed.delete(address);
    this.bounced.delete(address);
  }

  /** The address bounces permanently, whoever has it. */
  bounce(email: string): void {
    this.bounced.add(email);
    this.softBounce(email);
  }

  /** Records a bounce of the person with the address; the address may work for others. */
  softBounce(email: string): void {
    const person = this.holder('email', email);
    if (person !== undefined) person.hasBounced = true;
  }

  /** A form is submitted for the address, which is no consent yet. */
  signUp(email: string): void {
    if (this.holder('email', email) !== undefined) return;
    const person = newPerson({ email: 'never', sms: 'never' }, true);
    this.change(person, false, () => {
      person.email = email;
    });
  }

  /** START sent from the number itself. */
  start(phone: string): void {
    const person = this.holder('phone', phone);
    if (person !== undefined) this.resubscribe(person, 'sms');
    this.suppressed.delete(phone);
  }

  /** Suppressions stay; the person's unsubscriptions and bounce become suppressions of the addresses. */
  erase(person: Person): void {
    this.people.delete(person);
    for (const channel of CHANNELS) {
      const address = person[ADDRESS[channel]];
      const { state, by } = person.consents[channel];
      if (address !== null && state === 'unsubscribed') this.suppress(address, by);
    }
    if (person.email !== null && person.hasBounced) this.bounced.add(person.email);
  }

  /** Erases the customer's contact, and a contact with their address that belongs to no customer. */
  eraseCustomer(customer: Customer): void {
    this.customers.splice(this.customers.indexOf(customer), 1);
    const byEmail = this.holder('email', customer.email);
    const free = byEmail?.external_id === null ? byEmail : undefined;
    for (const person of new Set([this.holder('external_id', String(customer.id)), free])) {
      if (person !== undefined) this.erase(person);
    }
  }

  private merge(person: Person, loser: Person, asked: Given): void {
    this.people.delete(loser);
    this.heirs.set(loser.id, person.id);
    person.isPaused ||= loser.isPaused;
    person.wantsLess ||= loser.wantsLess;
    for (const channel of CHANNELS) {
      const key = ADDRESS[channel];
      const takes = loser[key] !== null && (asked[key] ?? person[key] ?? loser[key]) === loser[key];
      const no = [person, loser].find((one) => one.consents[channel].state === 'unsubscribed');
      person.consents[channel] = { ...(no ?? (takes ? loser : person)).consents[channel] };
      if (takes && channel === 'email') person.hasBounced = loser.hasBounced;
      person[key] = takes ? loser[key] : (person[key] ?? loser[key]);
    }
  }

  private apply(person: Person, { consent = {}, status, ...keys }: Given): void {
    if (keys.email !== undefined) this.readdress(person, keys.email);
    Object.assign(person, keys);
    if (status === 'bounced') person.hasBounced = true;
    if (status === 'bounced' && person.email !== null) this.bounced.add(person.email);
    for (const channel of CHANNELS) {
      const { state } = person.consents[channel];
      const asked = consent[channel];
      if (asked === undefined || state === 'unsubscribed' || state === asked) continue;
      person.consents[channel] = { state: asked, by: 'person', soft: false };
    }
  }

  /** A bounce belongs to the address. */
  private readdress(person: Person, email: string | null): void {
    if (person.email !== null && person.email !== email) person.hasBounced = false;
  }

  /** An unsubscription follows the person to a new address, and applies to everyone who gets a suppressed address. */
  private change(person: Person, known: boolean, make: () => void): void {
    const before = structuredClone(person);
    make();
    this.people.add(person);
    if (person.email !== null && this.bounced.has(person.email)) person.hasBounced = true;
    for (const channel of CHANNELS) {
      const address = person[ADDRESS[channel]];
      if (address === null) continue;
      const { state, by } = person.consents[channel];
      const isNew = !known || before[ADDRESS[channel]] !== address;
      const changed = !known || before.consents[channel].state !== state;
      if (state === 'unsubscribed' && (isNew || changed)) this.suppress(address, by);
      const no = this.suppressed.get(address);
      if (no === undefined || state === 'unsubscribed' || !(isNew || (changed && state === 'subscribed'))) continue;
      // After a refusal by the shop itself, the consent is `never`.
      if (no === 'person' || state === 'subscribed') {
        person.consents[channel] = { state: 'unsubscribed', by: no, soft: false };
      }
    }
  }
}
