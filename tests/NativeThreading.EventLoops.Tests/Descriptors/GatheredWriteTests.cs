using System.Buffers;
using NativeThreading.EventLoops.Turns;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>Writing several segments in one call.</summary>
public sealed class GatheredWriteTests : CallTest
{
    private readonly Pair _pair = Pair.OfSockets();
    private readonly EventLoopRegistration _registration;

    public GatheredWriteTests() => _registration = Register(_pair.Here);

    protected override void Release() => _pair.Dispose();

    [Theory]
    [InlineData(1, 50)]
    [InlineData(2, 50)]
    [InlineData(64, 6_400)]
    [InlineData(65, 6_500)]
    [InlineData(1_000, 50_000)]
    public void Segments_ArriveInOrder_TheFirstSixtyFourInOneCall(int segments, int bytes)
    {
        byte[] pattern = Pattern(bytes);
        ReadOnlySequence<byte> rest = Segments.Of(pattern, segments);
        var written = new List<long>();
        OnLoop(() =>
        {
            while (!rest.IsEmpty)
            {
                Assert.True(_registration.TryWrite(rest, out long count));
                written.Add(count);
                rest = rest.Slice(count);
            }
        });

        Assert.Equal(pattern, _pair.There.ReadAll());
        Assert.Equal((segments + LoopTuning.GatheredSegments - 1) / LoopTuning.GatheredSegments, written.Count);
        Assert.Equal(Math.Min(bytes, bytes / segments * LoopTuning.GatheredSegments), written[0]);
    }

    [Theory]
    [InlineData(new[] { 0, 5, 0 }, 5)]
    [InlineData(new[] { 0, 0, 0 }, 0)]
    [InlineData(new[] { 3, 0, 4, 0, 5 }, 12)]
    public void EmptySegments_AreSteppedOver(int[] lengths, int sum)
    {
        int first = 0;
        ReadOnlySequence<byte> sequence = Segments.Of([.. lengths.Select(length =>
        {
            first += length;
            return new ReadOnlyMemory<byte>(Pattern(length, first - length));
        })]);
        Assert.Equal((true, (long)sum), OnLoop(() => (_registration.TryWrite(sequence, out long count), count)));
        Assert.Equal(Pattern(sum), _pair.There.ReadAll());
    }

    [Fact]
    public void ManyEmptySegments_DoNotUseUpThePlaces()
    {
        ReadOnlyMemory<byte>[] memories = new ReadOnlyMemory<byte>[300];
        memories[250] = Pattern(8);
        Assert.Equal(8, OnLoop(() => _registration.TryWrite(Segments.Of(memories), out long count) ? count : -1));
        Assert.Equal(Pattern(8), _pair.There.ReadAll());
    }

    [Fact]
    public void FullSocket_TakesAPart_ThenNone_AndTheRestCanFollow()
    {
        byte[] pattern = Pattern(4 * 1024 * 1024);
        ReadOnlySequence<byte> rest = Segments.Of(pattern, 40);
        var received = new List<byte>();
        bool wasPartial = false, wasRefused = false;
        while (!rest.IsEmpty)
        {
            (bool taken, long count) = OnLoop(() => (_registration.TryWrite(rest, out long some), some));
            Assert.Equal(taken, count > 0);
            wasRefused |= !taken;
            wasPartial |= taken && count < rest.Length;
            rest = rest.Slice(count);
            if (!taken)
            {
                received.AddRange(_pair.There.ReadAll());
            }
        }

        received.AddRange(_pair.There.ReadAll());
        Assert.True(wasPartial && wasRefused);
        Assert.Equal(pattern, received);
    }

    [Fact]
    public void Pins_AreReleased()
    {
        using var memory = new PinCountingMemory(failing: false);
        ReadOnlySequence<byte> sequence = Segments.Of(memory.Memory, memory.Memory);
        OnLoop(() => Assert.True(_registration.TryWrite(sequence, out _)));
        Assert.Equal((2, 0), (memory.Pinned, memory.Held));

        _pair.There.Dispose();
        Fails(() => _registration.TryWrite(sequence, out _));
        Assert.Equal((4, 0), (memory.Pinned, memory.Held));
    }

    [Fact]
    public void Pins_AreReleased_WhereALaterOneFails()
    {
        using PinCountingMemory good = new(failing: false), bad = new(failing: true);
        ReadOnlySequence<byte> sequence = Segments.Of(good.Memory, good.Memory, bad.Memory);
        OnLoop(() => Assert.Throws<InvalidTimeZoneException>(() => _registration.TryWrite(sequence, out _)));
        Assert.Equal((2, 0), (good.Pinned, good.Held));
        Assert.Empty(_pair.There.ReadAll());
    }
}
