using System.Text.Json;
using Microsoft.Diagnostics.NETCore.Client;
using NativeThreading.Top;
using Spectre.Console;

const int Well = 0, Wrong = 1, Failed = 2;
const string Usage = """
    Usage: nthtop URL|PID [--once] [--json] [--header "NAME: VALUE"]...
    URL is the address of the live page, http://127.0.0.1:5000/threads. PID is the id of a process of this user, with a page or without.
    """;

if (!Arguments.TryParse(args, out Arguments? arguments))
{
    Console.Error.WriteLine(Usage);
    return Failed;
}

using PageSource? page = arguments.Url is { } url ? new PageSource(url, arguments.Headers) : null;
ISampleSource source = page ?? (ISampleSource)new ProcessSource(arguments.ProcessId!.Value);
using var ended = new CancellationTokenSource();
Console.CancelKeyPress += (_, pressed) =>
{
    pressed.Cancel = true;
    ended.Cancel();
};

if (Console.IsOutputRedirected)
{
    AnsiConsole.Profile.Capabilities.Ansi = false; // a pipe and a file get plain text, and whole lines
    AnsiConsole.Profile.Width = 1_000;
}

int result = Well;
try
{
    if (arguments.Once)
    {
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(ended.Token);
        patience.CancelAfter(TimeSpan.FromSeconds(30));
        await foreach (string sample in source.ReadAsync(patience.Token))
        {
            Show(sample);
            return result;
        }

        throw new IOException("It has ended.");
    }

    if (arguments.Json || Console.IsOutputRedirected)
    {
        await foreach (string sample in source.ReadAsync(ended.Token))
        {
            Show(sample);
        }
    }
    else
    {
        await AnsiConsole.Live(new Text("Waiting for the first sample.")).StartAsync(async live =>
        {
            while (!ended.IsCancellationRequested)
            {
                try
                {
                    await foreach (string sample in source.ReadAsync(ended.Token))
                    {
                        live.UpdateTarget(Screen.Of(Noted(JsonElement.Parse(sample)), source));
                    }
                }
                catch (Exception exception) when (page is not null && exception is HttpRequestException or IOException)
                {
                    live.UpdateTarget(new Markup($"[yellow]No connection, trying again.[/] {Markup.Escape(exception.Message)}"));
                }

                if (page is null)
                {
                    return; // a process that has ended does not come back
                }

                await Task.Delay(TimeSpan.FromSeconds(2), ended.Token);
            }
        });
    }
}
catch (OperationCanceledException) when (ended.IsCancellationRequested)
{
}
catch (Exception exception) when (exception is HttpRequestException or IOException or OperationCanceledException or JsonException
    or DiagnosticsClientException or TimeoutException or ArgumentException or UnauthorizedAccessException)
{
    Console.Error.WriteLine($"{source.Name} cannot be read: {exception.Message}");
    return Failed;
}

return result;

JsonElement Noted(JsonElement sample)
{
    result = sample.GetProperty("verdicts").GetArrayLength() == 0 ? Well : Wrong;
    return sample;
}

void Show(string text)
{
    JsonElement sample = Noted(JsonElement.Parse(text));
    if (arguments.Json)
    {
        Console.WriteLine(text);
    }
    else
    {
        AnsiConsole.Write(Screen.Of(sample, source));
    }
}
