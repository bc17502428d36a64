new EventSource(document.documentElement.dataset.base + '/api/v1/stream').addEventListener('sample', event => {
  document.getElementById('sample').textContent = JSON.stringify(JSON.parse(event.data), null, 2);
});
