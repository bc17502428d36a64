using NativeThreading.SoakProgram.Watch;

namespace NativeThreading.SoakProgram.Tracks;

/// <summary>A thread that goes from round to round until the soak is over.</summary>
internal abstract class Track
{
    private readonly Thread _thread;

    protected Track(SoakRun soak, int number, string name)
    {
        Soak = soak;
        Number = number;
        Name = name;
        Phase = soak.Deadlines.Watch(name);
        _thread = new Thread(Run) { Name = $"soak {name}", IsBackground = true };
    }

    public string Name { get; }

    protected SoakRun Soak { get; }

    protected int Number { get; }

    protected PhaseWatch Phase { get; }

    public bool HasEnded => !_thread.IsAlive;

    public void Start() => _thread.Start();

    /// <param name="round">0 at first.</param>
    protected abstract void Round(long round);

    private void Run()
    {
        try
        {
            for (long round = 0; Soak.Gate.Pass(Phase); round++)
            {
                Round(round);
            }
        }
        catch (Exception exception)
        {
            Soak.Verdict.Fail($"{Name} threw {exception}");
        }
    }
}
