using static NativeThreading.EventLoops.EventLoopInterest;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>Handlers that throw, where the option UnhandledException says that this is no reason to end.</summary>
public sealed class ThrowingHandlerTests : DescriptorTest
{
    private const int Count = 50;

    private readonly Pair[] _pairs = Pair.OfSockets(Count);

    protected override void Release() => Array.ForEach(_pairs, pair => pair.Dispose());

    [Fact]
    public void T42_OthersOfTheBatch_AreToldAllTheSame()
    {
        int[] told = new int[Count];
        OnLoop(() =>
        {
            for (int i = 0; i < Count; i++)
            {
                int index = i;
                Loop.Register(
                    _pairs[i].Here,
                    Read | EdgeTriggered,
                    (_, _) =>
                    {
                        told[index]++;
                        throw new InvalidTimeZoneException(index.ToString(System.Globalization.CultureInfo.InvariantCulture));
                    },
                    null);
            }

            Array.ForEach(_pairs, pair => pair.There.Write(1));
        });

        AwaitLook();

        Assert.All(told, times => Assert.Equal(1, times));
        Assert.Equal(
            Enumerable.Range(0, Count),
            Enumerable.Range(0, Count).Select(_ => int.Parse(NextUnhandled().Message, System.Globalization.CultureInfo.InvariantCulture)).Order());
    }

    [Fact]
    public void T42_TheOneThatThrew_IsToldAgain()
    {
        using var pair = Pair.OfSockets();
        var told = new Told();
        told.Then = _ =>
        {
            if (told.Count == 1)
            {
                throw new InvalidTimeZoneException();
            }
        };
        Watch(pair.Here, Read | EdgeTriggered, told);

        pair.There.Write(1);
        Assert.IsType<InvalidTimeZoneException>(NextUnhandled());
        Assert.Equal(EventLoopReadiness.Read, told.Next());
        pair.There.Write(1);

        Assert.Equal(EventLoopReadiness.Read, told.Next());
        AwaitLook();
        Assert.Equal(2, told.Count);
    }

    [Fact]
    public void T42_HandlerThatDisposesAndThrows()
    {
        using var pair = Pair.OfSockets();
        var told = new Told();
        OnLoop(() =>
        {
            EventLoopRegistration registration = Watch(pair.Here, Read, told);
            told.Then = _ =>
            {
                registration.Dispose();
                throw new InvalidTimeZoneException();
            };
            pair.There.Write(1);
        });

        Assert.IsType<InvalidTimeZoneException>(NextUnhandled());
        AwaitLook();
        Assert.Equal(1, told.Count);
        pair.Here.Dispose();
        Assert.True(pair.Here.IsReleased);
    }
}
