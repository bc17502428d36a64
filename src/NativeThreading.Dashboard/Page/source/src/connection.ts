import type { Sample } from './sample';

/** `saved` is for a page that shows an incident. `hidden` and `paused` are wanted: the stream is closed, so that the server does nothing for this page. */
export type ConnectionState = 'connecting' | 'live' | 'lost' | 'refused' | 'paused' | 'hidden' | 'saved';

/** How long a stream may be silent, in milliseconds. */
const patience = 10_000;
const pauseBeforeRetry = 2_000;

/** The one stream of samples: open while the page is visible, and opened again when it breaks. */
export class Connection {
  #source: EventSource | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #paused = false;
  #state: ConnectionState = 'connecting';

  constructor(
    private readonly api: string,
    private readonly onSample: (sample: Sample) => void,
    private readonly onState: (state: ConnectionState) => void,
  ) {}

  start(): void {
    document.addEventListener('visibilitychange', () => this.#apply());
    window.addEventListener('pageshow', () => this.#apply());
    window.addEventListener('pagehide', () => this.#close());
    this.#apply();
  }

  set paused(paused: boolean) {
    this.#paused = paused;
    this.#apply();
  }

  #apply(): void {
    const hidden = document.visibilityState === 'hidden';
    if (this.#paused || hidden) {
      this.#close();
      this.#enter(this.#paused ? 'paused' : 'hidden');
    } else if (this.#source === null && this.#state !== 'refused') {
      this.#open('connecting');
    }
  }

  #open(state: ConnectionState): void {
    this.#close();
    this.#enter(state);
    const source = new EventSource(`${this.api}/stream`);
    this.#source = source;
    this.#expect(patience);
    source.addEventListener('sample', event => {
      const sample = JSON.parse(event.data) as Sample;
      this.#expect(Math.max(patience, 3 * sample.interval));
      this.#enter('live');
      this.onSample(sample);
    });
    source.addEventListener('error', () => {
      this.#enter('lost');
      // The browser tries again by itself where no answer came, and gives up where one came that is no stream.
      if (source.readyState === EventSource.CLOSED) void this.#askWhy(source);
      else this.#expect(patience);
    });
  }

  /** An EventSource does not tell the status that ended it. */
  async #askWhy(source: EventSource): Promise<void> {
    clearTimeout(this.#timer);
    const answer = await fetch(`${this.api}/snapshot`, { cache: 'no-store', redirect: 'manual' }).catch(() => null);
    if (this.#source !== source) return;
    if (answer !== null && (answer.type === 'opaqueredirect' || answer.status === 401 || answer.status === 403)) {
      this.#close();
      this.#enter('refused');
    } else {
      this.#timer = setTimeout(() => this.#open('lost'), pauseBeforeRetry);
    }
  }

  /** A stream can be dead without an end, as after a sleep of the machine. */
  #expect(within: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#open('lost'), within);
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
  }

  #enter(state: ConnectionState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.onState(state);
  }
}
