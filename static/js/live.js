// Live pages: one WebSocket says which topics changed; elements that show a topic fetch themselves anew.
// <div data-live-topic="cluster:demo" hx-get="…" hx-trigger="live" hx-swap="outerMorph">
// Without the socket the same elements are refreshed every few seconds, and the page says so.
(() => {
  const url = document.body.dataset.liveUrl;
  if (!url) return;
  const POLL = 5000;
  const state = document.querySelector("[data-live-state]");
  let socket = null;
  let delay = 500;
  let last = 0;
  let asked = "";
  let poll = null;
  const waiting = new Set();

  const elements = () => [...document.querySelectorAll("[data-live-topic]")];
  const topics = () => [...new Set(elements().flatMap((element) => element.dataset.liveTopic.split(" ")))].sort();

  const refresh = (element) => {
    // Changes come in bursts: an element asks at most once in 250 ms, or as seldom as it says.
    if (waiting.has(element)) return;
    waiting.add(element);
    setTimeout(() => {
      waiting.delete(element);
      if (element.isConnected) element.dispatchEvent(new CustomEvent("live"));
    }, Number(element.dataset.liveEvery || 250));
  };
  const refreshAll = () => elements().forEach(refresh);

  const show = (live) => {
    if (!state) return;
    state.dataset.live = live ? "live" : "polling";
    state.querySelector(".word").textContent = live ? "Live" : "Every 5 s";
    state.title = live ? "Changes show at once" : "The live connection is down: the page asks every 5 seconds";
  };

  const startPolling = () => {
    show(false);
    if (poll === null && document.body.dataset.livePolling !== "off") poll = setInterval(refreshAll, POLL);
  };
  const stopPolling = () => {
    clearInterval(poll);
    poll = null;
    show(true);
  };

  const subscribe = () => {
    const wanted = topics();
    if (!socket || socket.readyState !== WebSocket.OPEN || asked === wanted.join(" ")) return;
    asked = wanted.join(" ");
    socket.send(JSON.stringify({ type: "subscribe", topics: wanted, after: last }));
  };

  const connect = () => {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    socket = new WebSocket(`${scheme}//${location.host}${url}`);
    socket.addEventListener("open", () => {
      delay = 500;
      stopPolling();
      asked = "";
      subscribe();
    });
    socket.addEventListener("message", (event) => {
      const message = JSON.parse(event.data);
      // Only from "subscribed" on is nothing missed: what is on the page was read before.
      if (message.type === "subscribed" || message.type === "missed") refreshAll();
      if (message.type !== "event") return;
      last = Math.max(last, message.id);
      for (const element of elements()) {
        if (element.dataset.liveTopic.split(" ").includes(message.topic)) refresh(element);
      }
    });
    socket.addEventListener("close", (event) => {
      startPolling();
      if (event.code === 4401) return; // not signed in any more: the next poll leads to the sign-in
      setTimeout(connect, delay);
      delay = Math.min(delay * 2, 15000);
    });
  };

  if (topics().length) {
    startPolling();
    connect();
  }
  document.addEventListener("htmx:after:swap", subscribe);
})();
